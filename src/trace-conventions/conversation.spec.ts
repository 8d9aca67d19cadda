import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import type { SpanEvent } from './span.js';
import { said, testEvent } from './test-span.fixture.js';

/** A place of a message, with an example that contains the name of the place. */
interface Place {
  name: string;
  attributes: JsonObject;
  events?: SpanEvent[];
}

const message = (role: string, content: string) => JSON.stringify([{ role, content }]);
const listedEvent = (name: string, fields: JsonObject) => JSON.stringify([{ 'event.name': name, ...fields }]);

/** Best first. Events follow the attributes in the same words; among events, those of single messages come first. */
const INPUTS: Place[] = [
  { name: 'current', attributes: { 'gen_ai.input.messages': message('user', 'current') } },
  {
    name: 'OpenInference',
    attributes: { 'llm.input_messages.0.message.content': 'OpenInference' },
  },
  { name: 'flattened', attributes: { 'gen_ai.prompt.0.content': 'flattened' } },
  { name: 'Vercel', attributes: { 'ai.prompt.messages': message('user', 'Vercel') } },
  { name: 'Vercel prompt', attributes: { 'ai.prompt': 'Vercel prompt' } },
  { name: 'Pydantic', attributes: { events: listedEvent('gen_ai.user.message', { content: 'Pydantic' }) } },
  { name: 'one text', attributes: { 'gen_ai.prompt': 'one text' } },
  { name: 'event', attributes: {}, events: [testEvent('gen_ai.user.message', { content: 'event' })] },
  {
    name: 'event of a text',
    attributes: {},
    events: [testEvent('gen_ai.content.prompt', { 'gen_ai.prompt': 'event of a text' })],
  },
  { name: 'completion', attributes: { 'llm.prompts.0.prompt.text': 'completion' } },
  { name: 'value', attributes: { 'input.value': 'value' } },
];

const OUTPUTS: Place[] = [
  { name: 'current', attributes: { 'gen_ai.output.messages': message('assistant', 'current') } },
  { name: 'OpenInference', attributes: { 'llm.output_messages.0.message.content': 'OpenInference' } },
  { name: 'flattened', attributes: { 'gen_ai.completion.0.content': 'flattened' } },
  { name: 'Vercel', attributes: { 'ai.response.text': 'Vercel' } },
  { name: 'older Vercel', attributes: { 'ai.result.text': 'older Vercel' } },
  { name: 'Pydantic', attributes: { events: listedEvent('gen_ai.choice', { message: { content: 'Pydantic' } }) } },
  { name: 'one text', attributes: { 'gen_ai.completion': 'one text' } },
  { name: 'event', attributes: {}, events: [testEvent('gen_ai.choice', { message: '{"content":"event"}' })] },
  {
    name: 'event of a text',
    attributes: {},
    events: [testEvent('gen_ai.content.completion', { 'gen_ai.completion': 'event of a text' })],
  },
  { name: 'completion', attributes: { 'llm.choices.0.completion.text': 'completion' } },
  { name: 'value', attributes: { 'output.value': 'value' } },
];

const pairs = (places: Place[]): [string, string, Place, Place][] =>
  places.flatMap((better, index) =>
    places.slice(index + 1).map((worse): [string, string, Place, Place] => [better.name, worse.name, better, worse]),
  );

/** The other side, in words with roles: a call is a completion only where neither side has roles. */
const BESIDE = {
  input: { 'gen_ai.output.messages': message('assistant', '-') },
  output: { 'gen_ai.input.messages': message('user', '-') },
};

function saidIn(side: 'input' | 'output', ...places: Place[]): string[] {
  const attributes: JsonObject = Object.assign({}, BESIDE[side], ...places.map((place) => place.attributes));
  return said(side, attributes, { events: places.flatMap(({ events = [] }) => events) });
}

describe('the input of a call', () => {
  it.each(pairs(INPUTS))('is read from %s before %s', (name, _, better, worse) => {
    expect(saidIn('input', worse, better)).toEqual([`user: ${name}`]);
  });
});

describe('the output of a call', () => {
  it.each(pairs(OUTPUTS))('is read from %s before %s', (name, _, better, worse) => {
    expect(saidIn('output', worse, better)).toEqual([`assistant: ${name}`]);
  });
});
