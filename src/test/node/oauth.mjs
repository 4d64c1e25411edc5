// One agent that has no key: it is refused, finds out who gives tokens, registers, has its user log in, and calls a tool. The same
// for both generations of the TypeScript client.

import assert from 'node:assert/strict';

export const clientInfo = { name: 'weir-oauth', version: '1.0.0' };

export const step = (name, seen) => console.log(JSON.stringify({ step: name, ...seen }));

/** What an agent keeps, in memory. It prints what it is given. */
export class Provider {
  redirectUrl = 'http://127.0.0.1:9/callback';
  clientMetadata = {
    client_name: 'weir-oauth',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };

  clientInformation() {
    return this.client;
  }

  saveClientInformation(client) {
    step('registered');
    this.client = client;
  }

  tokens() {
    return this.kept;
  }

  saveTokens(tokens) {
    step('tokens', { refresh: Boolean(tokens.refresh_token) });
    this.kept = tokens;
  }

  codeVerifier() {
    return this.verifier;
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  discoveryState() {
    return this.discovered;
  }

  saveDiscoveryState(state) {
    this.discovered = state;
  }

  /** The user, who logs in at once and agrees to everything. */
  async redirectToAuthorization(url) {
    const answer = await fetch(url, { redirect: 'manual' });
    assert.equal(answer.status, 302, await answer.text());
    this.callback = new URL(answer.headers.get('location')).searchParams;
    step('authorized', { resource: url.searchParams.get('resource'), scope: url.searchParams.get('scope') });
  }
}

/**
 * Connects, logs in when it is told to, connects again, and uses a tool. `make(provider)` gives a client and its transport;
 * `finish(transport, callback)` hands in what the user came back with; `callTool(client, params)` hides that the two order their arguments differently.
 */
export async function login(make, finish, callTool) {
  const provider = new Provider();
  const first = make(provider);
  await assert.rejects(first.client.connect(first.transport), (error) => {
    step('refused', { error: error.constructor.name });
    return error.constructor.name === 'UnauthorizedError';
  });
  await finish(first.transport, provider.callback);

  const { client, transport } = make(provider);
  await client.connect(transport);
  step('connected');
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  step('tools/list', { tools });
  const result = await callTool(client, { name: 'echo', arguments: { text: 'hello, token' } });
  step('tools/call', { text: result.content[0].text });
  await client.close();
}
