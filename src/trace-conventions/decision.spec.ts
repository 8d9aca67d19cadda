import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { GenAiConvention } from './gen-ai.convention.js';
import { managingSpanId } from './decision.js';
import { readSpanFacts } from './span-facts.js';
import { attributesOf, testEvent, testSpan, testSpanOf } from './test-span.fixture.js';

const convention = new GenAiConvention();
const OP = 'gen_ai.operation.name';
const MODEL = { 'gen_ai.request.model': 'gpt-4o' };
const TOKENS = { 'gen_ai.provider.name': 'openai', 'gen_ai.usage.input_tokens': 1 };

function kindOf(attributes: JsonObject, fields = {}): string | null {
  const reading = convention.read(testSpan(attributes, fields));
  return reading?.kind === 'other' ? reading.spanType : (reading?.kind ?? null);
}

describe('a span is a call', () => {
  it.each([
    'chat',
    'text_completion',
    'generate_content',
    'completion',
    'acompletion',
    'responses',
    'messages',
    'converse',
    'interactions.create',
    'Chat',
  ])('by operation %s', (operation) => {
    expect(kindOf({ [OP]: operation })).toBe('llm');
  });

  it.each<[string, JsonObject]>([
    ['its node type', { node_type: 'LLM_CALL' }],
    ['an operation that is stronger than its node type', { [OP]: 'chat', node_type: 'CODE_EXECUTION' }],
    ['an operation, whatever the API', { [OP]: 'chat', 'promptlayer.api.type': 'embeddings' }],
    ['an API that is asked for answers', { ...MODEL, ...TOKENS, 'promptlayer.api.type': 'chat-completions' }],
    ['an operation beside a prompt template', { [OP]: 'chat', node_type: 'PROMPT_TEMPLATE' }],
    ['a model and a provider', { ...MODEL, 'gen_ai.provider.name': 'openai' }],
    ['a model and a framework', { ...MODEL, 'gen_ai.system': 'langchain' }],
    ['a model and tokens', { 'gen_ai.response.model': 'gpt-4o', 'gen_ai.usage.output_tokens': 1 }],
    ['a model and messages', { ...MODEL, 'gen_ai.prompt.0.content': 'Hi' }],
    ['a model and a sum of tokens', { ...MODEL, 'gen_ai.usage.total_tokens': 5 }],
    ['a model named by another convention, and tokens', { 'llm.model_name': 'gpt-4o', 'llm.token_count.prompt': 1 }],
    ['another convention that says the same', { ...MODEL, 'gen_ai.system': 'openai', 'llm.request.type': 'chat' }],
  ])('by %s', (_, attributes) => {
    expect(kindOf(attributes)).toBe('llm');
    expect(readSpanFacts(testSpan(attributes)).spanType).toBe(attributes.node_type ?? 'LLM_CALL');
  });

  it.each<[string, JsonValue]>([
    ['gen_ai.input.messages', '[{"role":"user","content":"Hi"}]'],
    ['gen_ai.output.messages', [{ role: 'assistant', content: 'Hi' }]],
    ['llm.input_messages.0.message.content', 'Hi'],
    ['llm.output_messages.0.message.content', 'Hi'],
    ['gen_ai.completion.0.content', 'Hi'],
    ['SpanAttributes.LLM_PROMPTS.0.content', 'Hi'],
    ['ai.prompt.messages', '[{"role":"user","content":"Hi"}]'],
    ['ai.prompt', '{"prompt":"Hi"}'],
    ['ai.response.text', 'Hi'],
    ['ai.response.toolCalls', '[{"toolCallId":"c","toolName":"f","args":"{}"}]'],
    ['ai.result.object', '{"a":1}'],
    ['events', '[{"event.name":"gen_ai.user.message","content":"Hi"}]'],
    ['gen_ai.prompt', 'Hi'],
    ['gen_ai.completion', 'Hi'],
    ['llm.prompts.0.prompt.text', 'Hi'],
    ['llm.prompts', 'Hi'],
    ['llm.choices.0.completion.text', 'Hi'],
    ['llm.completions', 'Hi'],
  ])('by a model and the messages of %s', (key, value) => {
    expect(kindOf({ ...MODEL, [key]: value })).toBe('llm');
    expect(kindOf({ [key]: value })).toBeNull();
  });

  it.each([
    'llm.request.type',
    'langfuse.observation.type',
    'mlflow.spanType',
    'genkit:type',
    'genkit:metadata:subtype',
    'openai_agents.span_type',
  ])('by its operation, whatever unknown thing %s says', (key) => {
    expect(kindOf({ [OP]: 'chat', [key]: 'something new' })).toBe('llm');
    expect(kindOf({ node_type: 'LLM_CALL', [key]: 'something new' })).toBe('llm');
    expect(kindOf({ [key]: 'something new' })).toBeNull();
  });

  it('by a model and messages in events', () => {
    expect(kindOf(MODEL, { events: [testEvent('gen_ai.choice', {})] })).toBe('llm');
  });

  it('even if it failed', () => {
    expect(kindOf({ [OP]: 'chat' }, { statusCode: 2 })).toBe('llm');
  });
});

describe('a span is no call', () => {
  it.each([
    ['execute_tool', 'TOOL'],
    ['invoke_agent', 'LLM_SESSION'],
    ['create_agent', 'LLM_SESSION'],
    ['invoke_workflow', 'LLM_SESSION'],
    ['plan', 'LLM_SESSION'],
    ['retrieval', 'RETRIEVER'],
    ['rerank', 'RETRIEVER'],
    ['arerank', 'RETRIEVER'],
    ['reranking', 'RETRIEVER'],
    ['embeddings', 'EMBEDDING'],
    ['embedding', 'EMBEDDING'],
    ['Embedding', 'EMBEDDING'],
    ['aembedding', 'EMBEDDING'],
    ['embed', 'EMBEDDING'],
    ['embed_content', 'EMBEDDING'],
    ['embeddings.create', 'EMBEDDING'],
    ['evaluate', 'CODE_EXECUTION'],
    ['evaluation', 'CODE_EXECUTION'],
    ['image', 'CODE_EXECUTION'],
    ['image_generation', 'CODE_EXECUTION'],
    ['aimage_generation', 'CODE_EXECUTION'],
    ['image_edit', 'CODE_EXECUTION'],
    ['images.generate', 'CODE_EXECUTION'],
    ['generate_images', 'CODE_EXECUTION'],
    ['audio', 'CODE_EXECUTION'],
    ['audio.speech.create', 'CODE_EXECUTION'],
    ['speech', 'CODE_EXECUTION'],
    ['aspeech', 'CODE_EXECUTION'],
    ['text_to_speech', 'CODE_EXECUTION'],
    ['transcription', 'CODE_EXECUTION'],
    ['atranscription', 'CODE_EXECUTION'],
    ['video_generation', 'CODE_EXECUTION'],
    ['moderation', 'CODE_EXECUTION'],
    ['amoderation', 'CODE_EXECUTION'],
    ['toString', 'CODE_EXECUTION'],
  ])('by operation %s, but %s', (operation, spanType) => {
    expect(kindOf({ [OP]: operation })).toBe(spanType);
    if (operation !== 'toString') expect(kindOf({ [OP]: operation, ...MODEL, ...TOKENS })).toBe(spanType);
    expect(readSpanFacts(testSpan({ [OP]: operation })).spanType).toBe(spanType);
  });

  it.each(['CODE_EXECUTION', 'LLM_SESSION', 'EVAL', 'TOOL'])(
    'when its type is %s, whatever else marks it as a call',
    (nodeType) => {
      const marks: JsonObject[] = [
        { 'openinference.span.kind': 'LLM' },
        { 'langsmith.span.kind': 'llm' },
        { 'llm.request.type': 'chat' },
        { 'ai.operationId': 'ai.streamText.doStream' },
        { [OP]: 'completion' },
        { [OP]: 'responses' },
        {},
      ];
      const kinds = marks.map((mark) => kindOf({ node_type: nodeType, ...mark, ...MODEL, ...TOKENS }));
      expect(kinds).toEqual(marks.map(() => nodeType));
      const deciding = ['chat', 'text_completion', 'generate_content'];
      expect(deciding.map((operation) => kindOf({ node_type: nodeType, [OP]: operation }))).toEqual([
        'llm',
        'llm',
        'llm',
      ]);
    },
  );

  it('because of what its resource says', () => {
    const resource = { [OP]: 'chat', ...MODEL, ...TOKENS, 'llm.request.type': 'chat', node_type: 'LLM_CALL' };
    expect(convention.read(testSpanOf(resource))).toBeNull();
  });

  it.each<[string, JsonObject, string]>([
    ['its log is managed elsewhere', { [OP]: 'chat', 'promptlayer.request_log.managed': true }, 'CODE_EXECUTION'],
    [
      'its log is managed elsewhere, as text',
      { node_type: 'LLM_CALL', 'promptlayer.request_log.managed': 'true' },
      'LLM_CALL',
    ],
    ['its node type says so', { node_type: 'LLM_SESSION', ...MODEL, 'gen_ai.system': 'openai' }, 'LLM_SESSION'],
    [
      'it fetches a prompt',
      { node_type: 'PROMPT_TEMPLATE', 'promptlayer.prompt.requested.name': 'x' },
      'PROMPT_TEMPLATE',
    ],
    ['its API makes embeddings', { 'promptlayer.api.type': 'embeddings', ...MODEL, ...TOKENS }, 'EMBEDDING'],
    [
      'its API makes embeddings, although its type of node says a call',
      { 'promptlayer.api.type': 'embeddings', node_type: 'LLM_CALL', ...MODEL, ...TOKENS },
      'LLM_CALL',
    ],
    [
      'its API makes pictures',
      { 'promptlayer.api.type': 'image-generation', node_type: 'LLM_CALL', ...MODEL },
      'LLM_CALL',
    ],
    [
      'it is an agent that adds up usage',
      { [OP]: 'invoke_agent', ...MODEL, 'gen_ai.usage.input_tokens': 9 },
      'LLM_SESSION',
    ],
  ])('when %s', (_, attributes, spanType) => {
    expect(kindOf(attributes)).toBe(spanType);
  });

  it('while it is running', () => {
    expect(kindOf({ [OP]: 'chat' }, { endNs: null })).toBe('LLM_CALL');
  });

  it.each<[string, JsonObject, string]>([
    ['has no attributes', {}, 'CODE_EXECUTION'],
    ['only names a model', MODEL, 'CODE_EXECUTION'],
    ['names a model and has a value', { ...MODEL, 'input.value': 'Hi', 'output.value': 'Hello' }, 'CODE_EXECUTION'],
    ['names a model that was not asked', { ...MODEL, 'ai.response.finishReason': 'stop' }, 'CODE_EXECUTION'],
    ['is a tool that names a model', { ...MODEL, 'gen_ai.system': 'openai', 'gen_ai.tool.name': 't' }, 'TOOL'],
    ['is a chain of OpenInference', { 'openinference.span.kind': 'CHAIN', [OP]: 'chat' }, 'LLM_SESSION'],
    [
      'is a workflow of Traceloop',
      { 'traceloop.span.kind': 'workflow', ...MODEL, 'gen_ai.system': 'x' },
      'LLM_SESSION',
    ],
    ['is a prompt of LangSmith', { 'langsmith.span.kind': 'prompt', [OP]: 'chat' }, 'CODE_EXECUTION'],
    [
      'is an embedding of OpenLLMetry',
      { 'llm.request.type': 'embedding', ...MODEL, 'gen_ai.system': 'x' },
      'EMBEDDING',
    ],
    [
      'is an outer span of the Vercel SDK',
      { 'ai.operationId': 'ai.generateText', 'ai.model.id': 'm', 'ai.model.provider': 'x' },
      'LLM_SESSION',
    ],
  ])('when it %s', (_, attributes, spanType) => {
    expect(kindOf(attributes)).toBeNull();
    expect(readSpanFacts(testSpan(attributes)).spanType).toBe(spanType);
  });

  it.each([
    ['openinference.span.kind', 'SOMETHING_NEW'],
    ['traceloop.span.kind', 'something new'],
    ['langsmith.span.kind', 'something new'],
    ['ai.operationId', 'ai.somethingNew'],
    ['llm.request.type', 'embedding'],
    ['llm.request.type', 'rerank'],
    ['llm.request.type', 'aimage_generation'],
    ['llm.request.type', 'Moderation'],
    ['langfuse.observation.type', 'span'],
    ['langfuse.observation.type', 'evaluator'],
    ['mlflow.spanType', '"PARSER"'],
    ['mlflow.spanType', 'RERANKER'],
    ['genkit:type', 'flowStep'],
    ['genkit:metadata:subtype', 'executable-prompt'],
    ['openai_agents.span_type', 'handoff'],
  ])('when %s is %s, whatever its operation', (key, kind) => {
    expect(kindOf({ [key]: kind, [OP]: 'chat', ...MODEL, ...TOKENS })).toBeNull();
  });

  it('when it is the raw request below a LiteLLM call', () => {
    expect(kindOf({ [OP]: 'chat' }, { name: 'raw_gen_ai_request' })).toBeNull();
  });
});

describe('the span that manages another one', () => {
  const ID = 'promptlayer.request_log.span_id';
  const read = (attributes: JsonObject) =>
    managingSpanId(attributesOf({ 'promptlayer.request_log.managed': true, ...attributes }));

  it.each<[JsonValue, string | null]>([
    ['ABCDEF0123456789', 'abcdef0123456789'],
    [' ABCDEF0123456789 ', 'abcdef0123456789'],
    ['Run 7', 'Run 7'],
    // The longest id that a log can be reported for.
    ['x'.repeat(800), 'x'.repeat(800)],
    ['x'.repeat(801), null],
    ['é'.repeat(401), null],
    [' ', null],
    [{}, null],
  ])('has id %j read as %j', (id, expected) => {
    expect(read({ [ID]: id })).toBe(expected);
  });

  it('is null for a span that is not managed', () => {
    expect(read({ [ID]: 'x', 'promptlayer.request_log.managed': false })).toBeNull();
    expect(read({})).toBeNull();
  });
});

describe('readSpanFacts', () => {
  it('gives model, provider and tokens of an embedding', () => {
    const attributes = {
      [OP]: 'embeddings',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'text-embedding-3-small',
      'gen_ai.usage.input_tokens': 7,
    };
    expect(readSpanFacts(testSpan(attributes))).toMatchObject({
      model: 'text-embedding-3-small',
      provider: 'openai',
      usage: { input: 7, output: null },
      spanType: 'EMBEDDING',
    });
  });

  it('is empty for a span without such attributes', () => {
    expect(readSpanFacts(testSpan({ 'http.route': '/' }))).toMatchObject({ model: null, provider: null });
  });
});
