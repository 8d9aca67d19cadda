// A service of which every answer takes a while. It runs in a process of its own, so that it takes no time of the bench.
import { createServer } from 'node:http';

const delayMs = Number(process.argv[2]);

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece) => (text += piece));
  request.on('end', () => setTimeout(() => response.end(text.toUpperCase()), delayMs));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
