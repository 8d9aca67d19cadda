import { describe, expect, it } from 'vitest';
import { newChat, newMessage, type Prompt } from '../../../llm/shared/blueprint.js';
import { textPart } from '../../../llm/messages/parts.js';
import type { LlmCall } from '../../../llm/records/llm-call.js';
import { packCall } from '../../../llm/records/packed-call.js';
import { type ComparedCall, comparedCall, compareRecords, completed, sameness, sumsUp } from './same-call.js';

interface Told {
  model?: string;
  answeredBy?: string;
  asked?: string;
  said?: string;
  /** Name and arguments. */
  called?: [string, string];
  input?: number | null;
  output?: number | null;
  cached?: number | null;
  status?: LlmCall['status'];
  cost?: number | null;
  more?: Partial<LlmCall>;
}

function answer({ said = '', called }: Told): Prompt {
  const message = newMessage('assistant', null, said === '' ? [] : [textPart(said)]);
  if (called) {
    const [name, given] = called;
    message.tool_calls = [{ id: said, type: 'function', tool_id: null, function: { name, arguments: given } }];
  }
  return newChat(said === '' && !called ? [] : [message]);
}

function call(told: Told = {}): ComparedCall {
  const { model = 'gpt-4o-mini', answeredBy = null, asked = '', status = 'SUCCESS', cost = null, more = {} } = told;
  const { input = null, output = null, cached = null } = told;
  const usage = { input, output, cached, cacheWrite: null, thinking: null, cacheExclusive: false };
  const made: LlmCall = {
    provider: 'openai',
    model,
    answeredBy,
    apiType: null,
    functionName: 'chat',
    input: newChat(asked === '' ? [] : [newMessage('user', null, [textPart(asked)])]),
    output: answer(told),
    parameters: {},
    usage,
    reportedPrice: null,
    status,
    errorType: null,
    errorMessage: null,
    tags: [],
    metadata: {},
    promptInputVariables: {},
    prompt: null,
    ...more,
  };
  return comparedCall(packCall(made), cost);
}

const COUNTED = { input: 10, output: 5 };
const LONG = 'A long answer that goes on and on. '.repeat(5);

const PAIRS: [name: string, outer: Told, inner: Told, sure: 0 | 1 | 2][] = [
  ['the same answer', { said: 'Yes' }, { said: 'Yes' }, 2],
  ['the same answer with other white space', { said: 'Yes, I\ncan' }, { said: ' Yes, I can ' }, 2],
  ['the same data in another order', { said: '{"a":1,"b":[2]}' }, { said: '{ "b": [2], "a": 1 }' }, 2],
  ['an answer that was cut off', { said: LONG }, { said: LONG.slice(0, 150) }, 2],
  ['a short answer and its beginning', { said: 'Yes, I can' }, { said: 'Yes' }, 0],
  ['another answer', { said: 'Yes', ...COUNTED }, { said: 'No', ...COUNTED }, 0],
  ['the same answer, though the numbers differ', { said: 'Yes', input: 30, output: 9 }, { said: 'Yes', ...COUNTED }, 2],
  ['the same tool call', { called: ['w', '{"a": 1}'] }, { called: ['w', '{"a":1}'] }, 2],
  ['another tool call', { called: ['w', '{"a":1}'] }, { called: ['w', '{"a":2}'] }, 0],
  ['the tool call told by one only', { said: 'Let me look' }, { said: 'Let me look', called: ['w', '{}'] }, 2],
  ['the same numbers', COUNTED, COUNTED, 2],
  [
    'the same numbers, of which one leaves the cache out',
    { input: 10, output: 5 },
    { input: 3, output: 5, cached: 7 },
    2,
  ],
  ['other numbers', COUNTED, { input: 9, output: 5 }, 0],
  ['an answer without numbers, numbers without an answer', { said: 'Yes' }, COUNTED, 1],
  ['nothing but the model', {}, { said: 'Yes', ...COUNTED }, 1],
  ['nothing but a model that is not known', { model: 'unknown' }, { said: 'Yes', ...COUNTED }, 0],
  ['the same answer of a model that one does not know', { said: 'Yes', model: 'unknown' }, { said: 'Yes' }, 2],
  ['another model', { said: 'Yes', model: 'gpt-4o' }, { said: 'Yes' }, 0],
  ['the model with its vendor', { said: 'Yes', model: 'openai/gpt-4o-mini' }, { said: 'Yes' }, 2],
  ['the model with its date', { said: 'Yes', model: 'gpt-4o-mini-2024-07-18' }, { said: 'Yes' }, 2],
  ['a deployment of the model', { said: 'Yes', model: 'ours', answeredBy: 'gpt-4o-mini' }, { said: 'Yes' }, 2],
  ['a try that failed', { said: 'Yes' }, { status: 'ERROR' }, 0],
  ['a failure inside a failure', { status: 'ERROR' }, { status: 'ERROR' }, 1],
  ['an answer that could not be read afterwards', { said: 'Yes', status: 'ERROR' }, { said: 'Yes' }, 2],
];

describe('a call inside a call', () => {
  it.each(PAIRS)('%s', (_name, outer, inner, sure) => {
    expect(sameness(call(outer), call(inner))).toBe(sure);
  });

  it('is summed up only together with others', () => {
    const sum = call({ input: 30, output: 7 });
    const [first, second] = [call({ input: 10, output: 3 }), call({ input: 20, output: 4 })];
    expect(sumsUp(sum, [first, second])).toBe(true);
    expect(sumsUp(sum, [first, first])).toBe(false);
    expect(sumsUp(call({ input: 10, output: 3 }), [first])).toBe(false);
    expect(sumsUp(call(), [call(), call()])).toBe(false);
  });
});

const BETTER: [name: string, outer: Told, inner: Told, better: 'outer' | 'inner'][] = [
  ['the one with numbers', COUNTED, { said: 'Yes', asked: 'Can you?' }, 'outer'],
  ['of those with numbers the one with the answer', { said: 'Yes', ...COUNTED }, COUNTED, 'outer'],
  [
    'of those with both the one that tells more',
    { said: 'Yes', ...COUNTED, cached: 2 },
    { said: 'Yes', ...COUNTED },
    'outer',
  ],
  ['the inner one, all else being equal', { said: 'Yes', ...COUNTED }, { said: 'Yes', ...COUNTED }, 'inner'],
  [
    'the inner one when the outer one adds up',
    { said: 'Yes', input: 30, output: 9, cached: 1 },
    { said: 'Yes', ...COUNTED },
    'inner',
  ],
];

describe('the better record of a call', () => {
  it.each(BETTER)('is %s', (_name, outer, inner, better) => {
    expect(compareRecords(call(outer), call(inner)) < 0 ? 'outer' : 'inner').toBe(better);
  });

  it('is completed by facts that only the other one has', () => {
    const counted = call({ ...COUNTED, cost: 0.5, more: { metadata: { a: 'better' }, tags: ['x'] } });
    const worded = call({
      asked: 'Can you?',
      said: 'Yes',
      cached: 3,
      more: { metadata: { a: 'worse', b: 'other' }, tags: ['y', 'x'], parameters: { seed: 1 }, apiType: 'messages' },
    });
    const { call: made, cost } = completed(counted, worded);
    expect(cost).toBe(0.5);
    expect(made).toMatchObject({
      input: worded.call.input,
      output: worded.call.output,
      usage: { input: 10, output: 5, cached: null },
      metadata: { a: 'better', b: 'other' },
      tags: ['x', 'y'],
      parameters: { seed: 1 },
      apiType: 'messages',
      facts: { turnCount: 1, outputShape: 1 },
    });
    expect(completed(counted, call({ ...COUNTED, cached: 4 })).call.usage.cached).toBe(4);
  });
});
