import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContentPart, type Message, newChat, newCompletion, type Prompt } from '../shared/blueprint.js';
import type { JsonObject } from '../../platform/json.js';
import { findObject } from './answer-json.js';
import {
  deriveFacts,
  searchedInput,
  lastUserMessage,
  OUTPUT_SHAPES,
  searchedOutput,
  thinkingText,
  variableKeys,
} from './conversation-facts.js';

const template = { input_variables: [], template_format: 'f-string' as const };
const text = (value: string): ContentPart => ({ type: 'text', text: value });
const say = (role: Message['role'], content: string | ContentPart[] | null, more: Partial<Message> = {}): Message => ({
  ...template,
  role,
  content: typeof content === 'string' ? [text(content)] : content,
  ...more,
});
const chat = (...messages: Message[]): Prompt => newChat(messages);
const completion = (...content: ContentPart[]): Prompt => newCompletion(content);
const calls = (...made: [name: string, args: string][]): Partial<Message> => ({
  tool_calls: made.map(([name, args], index) => ({
    id: `call_${index}`,
    type: 'function',
    tool_id: null,
    function: { name, arguments: args },
  })),
});

const answered = (answer: string | Message) =>
  deriveFacts(
    { input: chat(say('user', 'Hi')), output: chat(typeof answer === 'string' ? say('assistant', answer) : answer) },
    {},
  );

describe('the shape of an answer', () => {
  it.each([
    ['plain text', 'TEXT'],
    ['', 'TEXT'],
    ['[{"a": 1}]', 'TEXT'],
    ['42', 'TEXT'],
    ['"quoted"', 'TEXT'],
    ['{"a": 1', 'TEXT'],
    ['{a: 1}', 'TEXT'],
    ['Use {name} here', 'TEXT'],
    ['The set is {}', 'TEXT'],
    ['```js\nconst a = {};\n```', 'TEXT'],
    ['```json\n[1]\n```', 'TEXT'],
    ['{}', 'JSON'],
    ['  {"a": 1}\n', 'JSON'],
    ['```json\n{"a": 1}\n```', 'JSON'],
    ['```\n{"a": 1}\n```', 'JSON'],
    ['```json {"a": 1}```', 'JSON'],
    ['Here:\n```python\nx = {}\n```\nand\n```json\n{"a": 1}\n```\nDone.', 'JSON'],
    ['Sure, here it is: {"a": {"b": 1}}', 'JSON'],
    ['As {name} asked: {"a": 1}', 'JSON'],
  ] as const)('of %j is %s', (answer, shape) => {
    expect(answered(answer).outputShape).toBe(OUTPUT_SHAPES[shape]);
  });

  it('is a tool call, even with text beside it', () => {
    const both = answered(say('assistant', '{"a": 1}', calls(['search', '{}'])));
    expect(both).toMatchObject({ outputShape: OUTPUT_SHAPES.TOOL_CALLS, toolNames: ['search'], toolCallCount: 1 });
    const old = answered(say('assistant', null, { function_call: { name: 'old', arguments: '{"q": 1}' } }));
    expect(old).toMatchObject({ outputShape: OUTPUT_SHAPES.TOOL_CALLS, toolNames: ['old'], toolCallCount: 1 });
  });

  it('is none of the three when there is no output', () => {
    const shapeOf = (output: Prompt) => deriveFacts({ input: chat(), output }, {}).outputShape;
    expect(shapeOf(chat())).toBe(OUTPUT_SHAPES.NONE);
    expect(shapeOf(chat(say('tool', '{"a": 1}')))).toBe(OUTPUT_SHAPES.NONE);
    expect(shapeOf(chat(say('assistant', [])))).toBe(OUTPUT_SHAPES.NONE);
    expect(shapeOf(chat(say('assistant', null)))).toBe(OUTPUT_SHAPES.NONE);
    expect(shapeOf(completion())).toBe(OUTPUT_SHAPES.NONE);
    expect(shapeOf(completion(text('{"a": 1}')))).toBe(OUTPUT_SHAPES.JSON);
    expect(shapeOf(chat(say('assistant', [{ type: 'output_media', url: 'x' }])))).toBe(OUTPUT_SHAPES.TEXT);
  });

  it('is that of the last message of the assistant', () => {
    const output = chat(say('assistant', null, calls(['a', '{}'])), say('tool', '{"b": 1}'), say('assistant', 'done'));
    const facts = deriveFacts({ input: chat(), output }, {});
    expect(facts).toMatchObject({ outputShape: OUTPUT_SHAPES.TEXT, toolNames: [], toolCallCount: 1, turnCount: 2 });
  });
});

describe('the data of an answer', () => {
  it('is its object, with a path for every level and none for positions in lists', () => {
    const { outputData, outputKeys } = answered('{"a": {"b": [{"c": 1}, {"c": 2, "d": [[3]]}]}, "e": [], "f.g": null}');
    expect(outputData).toEqual({ a: { b: [{ c: 1 }, { c: 2, d: [[3]] }] }, e: [], 'f.g': null });
    expect(outputKeys).toEqual(['a', 'a.b', 'a.b.c', 'a.b.d', 'e', 'f.g']);
  });

  it('is its tool calls with their arguments read where they are JSON', () => {
    const facts = answered(say('assistant', null, calls(['search', '{"query": "x", "n": 1}'], ['stop', 'now'])));
    expect(facts.outputData).toEqual({
      tool_calls: [
        { id: 'call_0', type: 'function', function: { name: 'search', arguments: { query: 'x', n: 1 } } },
        { id: 'call_1', type: 'function', function: { name: 'stop', arguments: 'now' } },
      ],
    });
    expect(facts.outputKeys).toEqual([
      'tool_calls',
      'tool_calls.id',
      'tool_calls.type',
      'tool_calls.function',
      'tool_calls.function.name',
      'tool_calls.function.arguments',
      'tool_calls.function.arguments.query',
      'tool_calls.function.arguments.n',
    ]);
  });

  it('is nothing for text', () => {
    expect(answered('text')).toMatchObject({ outputData: null, outputKeys: [] });
  });

  it('holds nothing that the database cannot store', () => {
    const { outputData, outputKeys } = answered(String.raw`{"a\u0000": "\ud800", "b": 1e999}`);
    expect(JSON.stringify(outputData)).toBe('{"a\ufffd":"\ufffd","b":null}');
    expect(outputKeys).toEqual(['a\ufffd', 'b']);
  });

  it('is left out when it is too deep or too large, and its paths end at a thousand', () => {
    const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`;
    expect(answered(deep)).toMatchObject({ outputShape: OUTPUT_SHAPES.TEXT, outputData: null });
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index]));
    expect(answered(JSON.stringify(wide)).outputKeys).toHaveLength(1000);
  });

  it('is found at any position, and the search never fails', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 3 });
    fc.assert(
      fc.property(object, fc.constantFrom('', 'Well: ', '```json\n', 'a } b\n'), (value, before) => {
        const after = before.startsWith('```') ? '\n```' : '';
        const found = findObject(`${before}${JSON.stringify(value)}${after}`);
        if (!JSON.stringify(value).includes('`')) {
          expect(JSON.stringify(found?.object)).toBe(JSON.stringify(JSON.parse(JSON.stringify(value).toWellFormed())));
        }
      }),
    );
    const noise = fc.string({ unit: fc.constantFrom('{', '}', '[', '"', '`', '```', '\n', 'a', ':', '1', ' ') });
    fc.assert(fc.property(noise, (answer) => void findObject(answer)));
  });
});

describe('the texts of a call', () => {
  it('are all messages but the answer for the input, with their roles', () => {
    const input = chat(say('system', 'Be brief.'), say('user', [text('Hel'), { type: 'media' }, text('lo')]));
    const output = chat(say('assistant', null, calls(['a', '{}'])), say('tool', 'found'), say('assistant', 'Done.'));
    expect(searchedInput({ input, output })).toBe(
      '[system]: Be brief.\n\n[user]: Hello\n\n[assistant]: \n\n[tool]: found',
    );
    expect(searchedInput({ input: completion(text('Once ')), output })).toBe('Once ');
    expect(searchedInput({ input: chat(), output: chat() })).toBeNull();
  });

  it('are the answer itself, its values, or its words and calls for the output', () => {
    const of = (answer: Message) => searchedOutput(chat(say('assistant', 'before'), answer));
    expect(of(say('assistant', ' As it is\n'))).toBe(' As it is\n');
    expect(of(say('assistant', '{"a": {"b": [1, "x"]}, "c": null, "d": 1e21, "e": 2.5e-7}'))).toBe(
      'a.b: 1\na.b: x\nc: null\nd: 1000000000000000000000\ne: 0.00000025',
    );
    expect(
      of(say('assistant', 'Let me see.', calls(['search', '{"q": "x", "deep": {"n": [true]}}'], ['stop', 'now']))),
    ).toBe('Let me see.\nsearch\nx\ntrue\nstop\nnow');
    expect(searchedOutput(chat())).toBeNull();
    expect(searchedOutput(completion(text('done')))).toBe('done');
  });

  it('include the thinking, and the last message of the user', () => {
    const thinking = (value: string): ContentPart => ({ type: 'thinking', thinking: value, signature: null });
    expect(thinkingText(chat(say('assistant', [thinking('hm'), text('x'), thinking('so')])))).toBe('hm\nso');
    expect(thinkingText(chat(say('assistant', 'x')))).toBeNull();
    const input = chat(say('user', 'one'), say('assistant', 'two'), say('user', 'three'));
    expect(lastUserMessage({ input, output: chat(say('assistant', 'four')) })).toBe('three');
    expect(lastUserMessage({ input: completion(text('x')), output: chat() })).toBeNull();
  });
});

describe('the counts of a call', () => {
  it('are messages of the assistant and tool calls on both sides', () => {
    const input = chat(say('user', 'a'), say('assistant', null, calls(['x', ''], ['y', ''])), say('tool', 'b'));
    const output = chat(say('assistant', 'c', calls(['z', ''])));
    expect(deriveFacts({ input, output }, {})).toMatchObject({ turnCount: 2, toolCallCount: 3, toolNames: ['z'] });
    const completed = { input: completion(text('a')), output: completion(text('b')) };
    expect(deriveFacts(completed, {})).toMatchObject({ turnCount: 1, toolCallCount: 0 });
  });

  it('go with the paths of all variables', () => {
    const variables: JsonObject = { name: 'Ann', address: { town: 'Ely', lines: [{ a: 1 }, { b: 2 }] } };
    expect(deriveFacts({ input: chat(), output: chat() }, variables).inputVariableKeys).toEqual([
      'name',
      'address',
      'address.town',
      'address.lines',
      'address.lines.a',
      'address.lines.b',
    ]);
  });

  it('go with the paths of the variables that the prompt asks for, when it is known', () => {
    const variables: JsonObject = { name: 'Ann', 'a.b': 1, a: { b: 2 }, __proto__x: 3 };
    expect(variableKeys(variables, { variables: ['a', 'nobody', 'toString'] })).toEqual(['a', 'a.b']);
    expect(variableKeys(variables, { variables: ['a.b', 'name'] })).toEqual(['a.b', 'name']);
    expect(variableKeys(variables, { variables: [] })).toEqual([]);
  });
});
