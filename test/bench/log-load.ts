import { loggedCall } from '../support/bulk.js';
import { traceId } from '../support/otlp.js';
import { seedSpan, TEXT_LENGTH } from './search-load.js';
import { prose } from './search-prose.js';

const CALLS_PER_TRACE = 10;

let counter = 0;

/** Bodies for `/log-request`: calls of 1.5 KB in and 1.5 KB out. */
export function loggedCalls(count: number): Buffer[] {
  return Array.from({ length: count }, () => Buffer.from(JSON.stringify(call())));
}

function call(): object {
  const number = counter++;
  const startMs = Date.now() - 1000;
  return loggedCall({
    model: number % 3 ? 'gpt-4o-mini' : 'gpt-4o',
    input: said('user'),
    output: said('assistant'),
    request_start_time: new Date(startMs).toISOString(),
    request_end_time: new Date(startMs + 900).toISOString(),
    input_tokens: 200 + (number % 3000),
    output_tokens: 50 + (number % 700),
    parameters: { temperature: 0.7, max_tokens: 1024 },
    tags: [`tag-${number % 20}`],
    metadata: { user_id: `user-${number % 1000}`, session_id: `logged-${number}`, team: `team-${number % 7}` },
  });
}

const said = (role: string) => ({
  type: 'chat',
  messages: [{ role, content: [{ type: 'text', text: prose(TEXT_LENGTH) }] }],
});

/** `count` OTLP/JSON bodies of so many such calls as spans, ten in a trace. */
export function callsAsSpans(count: number, calls: number, prompts: number[]): Buffer[] {
  return Array.from({ length: count }, () => {
    let trace = '';
    const spans = Array.from({ length: calls }, (_, index) => {
      if (index % CALLS_PER_TRACE === 0) trace = traceId();
      return { ...seedSpan(prose(TEXT_LENGTH), prose(TEXT_LENGTH), prompts), traceId: trace };
    });
    return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  });
}
