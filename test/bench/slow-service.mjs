// A service of which every answer takes a while; below /v1 it is a model that speaks chat completions. It runs in a process of its own, so that it takes no time of the bench.
import { createServer } from 'node:http';

const delayMs = Number(process.argv[2]);

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece) => (text += piece));
  const answer = () => (request.url.startsWith('/v1/') ? completion(text) : response.end(text.toUpperCase()));
  const completion = (asked) => {
    const message = { role: 'assistant', content: 'Within thirty days, yes.', refusal: null };
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }];
    const usage = { prompt_tokens: 30, completion_tokens: 7, total_tokens: 37 };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ id: 'c', object: 'chat.completion', model: JSON.parse(asked).model, choices, usage }),
    );
  };
  request.on('end', () => setTimeout(answer, delayMs));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
