// Makes a server that knows of no address to listen on keep to the loopback one, and prints a line of JSON with its `url`:
// node --import ./loopback.mjs SERVER

import { Server } from 'node:net';

const listen = Server.prototype.listen;

Server.prototype.listen = function (port, ...rest) {
  this.once('listening', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${this.address().port}` })));
  const callbacks = rest.filter((argument) => typeof argument === 'function');
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...callbacks);
};
