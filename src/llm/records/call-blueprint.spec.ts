import { describe, expect, it } from 'vitest';
import type { ChatPrompt, CompletionPrompt, Message, Prompt } from '../shared/blueprint.js';
import { toPromptBlueprint } from './call-blueprint.js';

const part = (text: string) => ({ type: 'text', text });
const plain = { input_variables: [] as string[], template_format: 'f-string' as const };
const says = (role: Message['role'], text: string): Message => ({ role, content: [part(text)], ...plain });
const chat = (...messages: Message[]): ChatPrompt => ({
  type: 'chat',
  messages,
  tools: null,
  tool_choice: 'auto',
  functions: null,
  function_call: null,
  input_variables: [],
});
const completion = (...texts: string[]): CompletionPrompt => ({
  type: 'completion',
  content: texts.map(part),
  ...plain,
});

function templateOf(input: Prompt, output: Prompt) {
  const call = { provider: 'openai', model: 'gpt-4o', parameters: {}, apiType: null };
  return toPromptBlueprint({ ...call, input, output }).prompt_template as Record<string, unknown> & {
    messages?: { role: string; raw_request_display_role: string; content: { text: string }[] }[];
    content?: { text: string }[];
  };
}
const said = (template: ReturnType<typeof templateOf>) =>
  template.messages!.map(({ role, content }) => [role, ...content.map(({ text }) => text)]);

describe('the blueprint of a call', () => {
  it('has the answer as the last message of a chat', () => {
    const template = templateOf(chat(says('system', 'Be kind'), says('user', 'Hi')), chat(says('assistant', 'Hello')));
    expect(said(template)).toEqual([
      ['system', 'Be kind'],
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ]);
    const empty = { tools: [], functions: [], dataset_examples: [] };
    expect(template).toMatchObject({ type: 'chat', ...empty, tool_choice: 'auto' });
    expect(template.messages!.map((message) => message.raw_request_display_role)).toEqual([
      'system',
      'user',
      'assistant',
    ]);
  });

  it('has the answer after the text that was completed', () => {
    const template = templateOf(completion('Once ', 'upon'), completion(' a time'));
    expect(template.type).toBe('completion');
    expect(template.content!.map(({ text }) => text)).toEqual(['Once ', 'upon', ' a time']);
  });

  it('is a chat when one side of the call is', () => {
    const template = templateOf(completion('Hi'), chat(says('assistant', 'Hello')));
    expect(said(template)).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ]);
    expect(template.messages![0]).toMatchObject({ name: null, raw_request_display_role: 'user' });
    expect(said(templateOf(chat(says('user', 'Hi')), completion('Hello')))).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ]);
  });

  it('names the model, and shows numbers among its parameters as text', () => {
    const parameters = { temperature: 0.5, stream: true, stop: ['a'] };
    const call = { provider: 'openai', model: 'gpt-4o', apiType: 'chat-completions', parameters };
    expect(toPromptBlueprint({ ...call, input: chat(), output: chat() }).metadata).toEqual({
      model: {
        provider: 'openai',
        name: 'gpt-4o',
        model_config_display_name: null,
        base_model: null,
        parameters,
        display_params: { temperature: '0.5', stream: true, stop: ['a'] },
        api_type: 'chat-completions',
      },
    });
  });
});
