// An agent that calls tools as fast as it is told to, without a library, so that every answer is seen as it is.

/** Opens a session; `call(tool)` gives the error's code, or 0. */
export async function agent(url, key) {
  let id = 0;
  let session;
  const send = async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${key}`,
        'MCP-Protocol-Version': '2025-11-25',
        ...(session ? { 'Mcp-Session-Id': session } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
    });
    session ??= response.headers.get('mcp-session-id');
    return response.text();
  };
  await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'agent', version: '1' } });
  const call = async (name, args = {}) => {
    const text = await send('tools/call', { name, arguments: args });
    const code = /"code":\s*(-\d+)/.exec(text);
    return code ? Number(code[1]) : 0;
  };
  return { call };
}

/** Calls again and again until it is told to stop, whatever is answered. */
export function loop(call, pauseMs) {
  let going = true;
  const done = (async () => {
    while (going) {
      await call();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  })();
  return async () => {
    going = false;
    await done;
  };
}
