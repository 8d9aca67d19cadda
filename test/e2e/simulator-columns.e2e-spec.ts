import { describe, expect, it } from 'vitest';
import { type Metered, readOperation, recalculate } from '../support/external-cells.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import type { AskedCall } from '../support/fake-vendors.js';
import {
  cancelAll,
  type ChatMessage,
  computeColumn,
  ECHO,
  formOf,
  fresh,
  inlinePrompt,
  lastMessage,
  messagesOf,
  refusalOf,
  stepsOf,
  useModelApp,
} from '../support/model-app.js';
import { addCredential, CREDENTIALS } from '../support/model-credentials.js';
import { publishPrompt } from '../support/prompts.js';
import { until } from '../support/until.js';

const used = useModelApp({ SIMULATION_TURNS: '3' });

describe('CONVERSATION_SIMULATOR', () => {
  const isUser = (asked: AskedCall) => messagesOf(asked)[0]!.content.startsWith('You play a person');
  const isCheck = (asked: AskedCall) => formOf(asked)?.includes('completed') ?? false;

  /** User and agent say how often they were called. The check passes after `completedAfter` answers of the agent. */
  function talk({ completedAfter = Infinity }: { completedAfter?: number } = {}): void {
    const counts = { user: 0, agent: 0 };
    used.vendors.reply = (asked) => {
      if (isCheck(asked)) {
        return { text: JSON.stringify({ reasoning: 'So.', completed: counts.agent >= completedAfter }) };
      }
      return { text: isUser(asked) ? `user ${++counts.user}` : `agent ${++counts.agent}` };
    };
  }

  const config = (more: object = {}) => ({
    inline_template: inlinePrompt('Sell {thing}.'),
    prompt_template_variable_mappings: { thing: 'Column A' },
    user_persona: 'A person in a hurry.',
    ...more,
  });
  const simulate = (more: object = {}, texts: Record<string, unknown[]> = { 'Column A': [fresh('shoes')] }) =>
    computeColumn(used, 'CONVERSATION_SIMULATOR', config(more), texts);
  const said = (cell: Metered) => (cell.value as ChatMessage[]).map(({ content }) => content);

  it('lets the prompt begin, and answer as often as the server says', async () => {
    talk();
    const { cells } = await simulate();
    expect(cells[0]!.value).toEqual([
      { role: 'assistant', content: 'agent 1' },
      { role: 'user', content: 'user 1' },
      { role: 'assistant', content: 'agent 2' },
      { role: 'user', content: 'user 2' },
      { role: 'assistant', content: 'agent 3' },
    ]);
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: 5, input_tokens: 60 });
    expect(used.vendors.calls.filter(isCheck)).toHaveLength(0);
  });

  it('lets the user begin', async () => {
    talk();
    const { cells } = await simulate({ is_user_first: true, max_turns: 2 });
    expect(said(cells[0]!)).toEqual(['user 1', 'agent 1', 'user 2', 'agent 2']);
  });

  it('shows each of them the conversation from its own side', async () => {
    talk();
    const text = fresh('boots');
    await simulate({ is_user_first: true, max_turns: 2 }, { 'Column A': [text] });
    const [first, , user, agent] = used.vendors.calls.map(messagesOf);
    expect(first!.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(first![0]!.content).toContain('A person in a hurry.');
    expect(user!.slice(2)).toEqual([
      { role: 'assistant', content: 'user 1' },
      { role: 'user', content: 'agent 1' },
    ]);
    expect(agent).toEqual([
      { role: 'system', content: `Sell ${text}.` },
      { role: 'user', content: 'user 1' },
      { role: 'assistant', content: 'agent 1' },
      { role: 'user', content: 'user 2' },
    ]);
  });

  it('opens the conversation for a prompt of instructions only, as some vendors require', async () => {
    const { id } = await addCredential(used.me, { provider: 'anthropic', base_url: used.vendors.url });
    talk();
    const prompt = inlinePrompt('Sell {thing}.', { provider: 'anthropic', name: 'claude-sonnet-4' });
    const { cells } = await simulate({ inline_template: prompt, max_turns: 2 });
    await used.me.delete(`${CREDENTIALS}/${id}`);
    expect(said(cells[0]!)).toHaveLength(3);
    const asked = used.vendors.calls.filter(({ path }) => path === '/v1/messages').map(messagesOf);
    const opening = { role: 'user', content: 'The conversation begins.' };
    expect(asked.map((messages) => messages.slice(0, 2))).toEqual([
      [opening],
      [opening, { role: 'assistant', content: said(cells[0]!)[0] }],
    ]);
  });

  it('begins with the messages of the prompt where it has some', async () => {
    talk();
    const prompt = inlinePrompt('Sell.');
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello, {thing}?' }] }];
    await simulate({ inline_template: { ...prompt, prompt_template: { type: 'chat', messages } }, max_turns: 1 });
    expect(messagesOf(used.vendors.calls[0]!)).toEqual([
      { role: 'user', content: expect.stringMatching(/^Hello, shoes \d+\?$/) },
    ]);
  });

  it('plays the user with the default model or the engine, and the prompt with its own', async () => {
    talk();
    await simulate({ max_turns: 2 });
    await simulate({ max_turns: 2, engine: { provider: 'openai', model: 'gpt-5' } });
    expect(used.vendors.calls.map(({ body }) => body.model)).toEqual([
      'gpt-4.1',
      'gpt-4.1-mini',
      'gpt-4.1',
      'gpt-4.1',
      'gpt-5',
      'gpt-4.1',
    ]);
  });

  it('ends when the check says so, and shows the check the conversation as data', async () => {
    talk({ completedAfter: 2 });
    const { cells } = await simulate({ max_turns: 9, conversation_completed_prompt: 'The shoes are sold.' });
    expect(said(cells[0]!)).toEqual(['agent 1', 'user 1', 'agent 2']);
    const checks = used.vendors.calls.filter(isCheck);
    expect(checks).toHaveLength(2);
    expect(lastMessage(checks[1]!)).toContain('The shoes are sold.');
    expect(lastMessage(checks[1]!)).toContain(JSON.stringify(cells[0]!.value));
  });

  it('does not check after the last turn', async () => {
    talk();
    await simulate({ max_turns: 2, conversation_completed_prompt: 'Never.' });
    expect(used.vendors.calls.filter(isCheck)).toHaveLength(1);
  });

  it('takes the persona and what completes a conversation from columns', async () => {
    talk({ completedAfter: 1 });
    const { cells } = await simulate(
      { user_persona: null, user_persona_source: 'Who', conversation_completed_prompt_source: 'When' },
      { 'Column A': [fresh('hats'), fresh('hats')], Who: ['A king.', ''], When: ['It is over.', ''] },
    );
    expect(said(cells[0]!)).toEqual(['agent 1']);
    expect(lastMessage(used.vendors.calls.find(isCheck)!)).toContain('It is over.');
    expect(cells[1]!.error_message).toBe('Nobody knows who the user is: user_persona_source is empty.');
  });

  it('shows the user how to talk', async () => {
    talk();
    await simulate({ is_user_first: true, max_turns: 1, conversation_samples: [[{ role: 'user', content: 'yo' }]] });
    expect(messagesOf(used.vendors.calls[0]!)[0]!.content).toContain('[[{"role":"user","content":"yo"}]]');
  });

  it('logs every call, in a step for each turn', async () => {
    talk();
    const { cells } = await simulate({ max_turns: 2, conversation_completed_prompt: 'Never.' });
    const { request_ids: ids } = cells[0]!.request_metrics as { request_ids: number[] };
    expect(new Set(ids).size).toBe(4);
    expect(await stepsOf(used, cells[0]!)).toEqual([
      { name: 'turn 1', calls: 2 },
      { name: 'turn 2', calls: 2 },
    ]);
  });

  it('uses prompts of the registry, which find the table', async () => {
    talk();
    const name = fresh('seller');
    await publishPrompt(used.me, name, { message: 'Sell {thing}.', model: { provider: 'openai', name: 'gpt-4.1' } });
    const { cells } = await simulate({ inline_template: null, template: { name }, max_turns: 1 });
    expect(said(cells[0]!)).toEqual(['agent 1']);
    const [id] = (cells[0]!.request_metrics as { request_ids: number[] }).request_ids;
    expect(await used.me.get(`/api/public/v2/requests/${id}`)).toMatchObject({ prompt_name: name });
  });

  it('goes on for a hundred turns', async () => {
    const prompt = { inline_template: inlinePrompt('Repeat {thing}.', ECHO), max_turns: 100 };
    const { cells } = await simulate({ ...prompt, engine: { provider: 'tracesheet', model: 'echo' } });
    expect(cells[0]!.error_message).toBeNull();
    expect(cells[0]!.value).toHaveLength(199);
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: 199 });
  });

  it('pays nothing twice when the service is busy in the middle', async () => {
    let calls = 0;
    used.vendors.reply = () => {
      calls++;
      return calls === 3 || calls === 4 ? { status: 429, message: 'Later.' } : { text: `said ${calls}` };
    };
    const { cells } = await simulate({ max_turns: 2 });
    expect(said(cells[0]!)).toEqual(['said 1', 'said 2', 'said 5']);
    expect(calls).toBe(5);
  });

  it('fails in words that name the turn, and pays nothing again', async () => {
    used.vendors.reply = () =>
      used.vendors.calls.length < 3 ? { text: 'fine' } : { status: 500, message: 'Out of order.' };
    const { cells } = await simulate();
    expect(cells[0]!.error_message).toBe('Turn 2 failed: openai answered 500: Out of order.');
    expect(used.vendors.calls).toHaveLength(2 + 4);
    expect(cells[0]!.request_metrics).toMatchObject({ request_count: 6 });
  });

  it('fails when nobody says anything', async () => {
    used.vendors.reply = (asked) => ({ text: isUser(asked) ? ' ' : 'agent' });
    const { cells } = await simulate();
    expect(cells[0]!.error_message).toBe('Turn 2 failed: The model that plays the user answered nothing.');
  });

  it('fails before anything is spent where a variable is not mapped', async () => {
    const { cells } = await simulate({ prompt_template_variable_mappings: {} });
    expect(cells[0]!.error_message).toContain('The prompt asks for "thing"');
    expect(used.vendors.calls).toHaveLength(0);
  });

  it.each([
    ['names no model', { metadata: null }, 'The prompt names no model. Publish a version with one in metadata.model.'],
    [
      'is no chat',
      { prompt_template: { type: 'completion', content: [{ type: 'text', text: '{thing}' }] } },
      'Only the prompt of a chat can hold a conversation.',
    ],
  ])('fails before anything is spent where the prompt %s', async (_, more, saying) => {
    const { cells } = await simulate({ inline_template: { ...inlinePrompt('Sell {thing}.'), ...more } });
    expect(cells[0]!.error_message).toBe(saying);
    expect(used.vendors.calls).toHaveLength(0);
  });

  it('ends the call under way when it is cancelled', async () => {
    used.vendors.reply = () => (used.vendors.calls.length < 3 ? { text: 'fine' } : 'hang');
    const sheet = await newSheet(used.me, [fresh('coats')]);
    await addColumn(used.me, sheet, { title: 'Result', type: 'CONVERSATION_SIMULATOR', config: config() });
    await until(() => Promise.resolve(used.vendors.open === 1 && used.vendors.calls.length === 3));
    await cancelAll(used, sheet);
    await until(() => Promise.resolve(used.vendors.hungUp === 1));
    expect(used.vendors.calls).toHaveLength(3);
  });

  it('stops when it has spent what the operation may', async () => {
    talk();
    const { sheet, column } = await simulate();
    used.vendors.calls.length = 0;
    const id = await recalculate(used.me, sheet, { force: true, max_cost: 0.0002 });
    await settled(used.me, sheet);
    const [cell] = await cellsOf(used.me, sheet, column.id);
    expect(cell!.error_message).toBe(
      'Turn 3 failed: The cell was stopped because max_cost does not suffice for its next call: ' +
        'it has spent $0.0001408, and another call costs about $0.000064.',
    );
    expect(used.vendors.calls).toHaveLength(3);
    expect(await readOperation(used.me, sheet, id)).toMatchObject({ failed_count: 1 });
  });

  it.each([
    [{ user_persona: null }, 'give either user_persona or user_persona_source'],
    [{ user_persona: ' ' }, 'give either user_persona or user_persona_source'],
    [{ user_persona_source: 'Column A' }, 'give either user_persona or user_persona_source'],
    [{ inline_template: null }, 'give either template or inline_template'],
    [{ prompt_template_variable_mappings: undefined }, 'prompt_template_variable_mappings is required'],
    [{ max_turns: 0 }, 'max_turns'],
    [{ max_turns: 151 }, 'less than or equal to 150'],
    [{ max_turns: '3' }, 'max_turns'],
    [{ is_user_first: 'yes' }, 'is_user_first'],
    [{ conversation_samples: 'x' }, 'conversation_samples'],
    [
      { conversation_completed_prompt: 'x', conversation_completed_prompt_source: 'Column A' },
      'conversation_completed_prompt or conversation_completed_prompt_source, not both',
    ],
  ])('cannot be made with %j', async (more, saying) => {
    expect(await refusalOf(used, 'CONVERSATION_SIMULATOR', config(more))).toContain(saying);
  });
});
