import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { readEmbedding } from './embedding.js';
import { testSpan } from './test-span.fixture.js';

const MODEL = { 'gen_ai.request.model': 'text-embedding-3-small', 'gen_ai.usage.input_tokens': 7 };
const EMBEDDING = { ...MODEL, 'gen_ai.operation.name': 'embeddings' };

describe('readEmbedding', () => {
  it.each<[string, JsonObject]>([
    ['its operation', EMBEDDING],
    ['its operation, whatever its type of node', { ...EMBEDDING, node_type: 'CODE_EXECUTION' }],
    ['its API', { ...MODEL, node_type: 'LLM_CALL', 'promptlayer.api.type': 'embeddings' }],
    ['its type of node', { ...MODEL, node_type: 'EMBEDDING' }],
    ['OpenLLMetry', { ...MODEL, 'llm.request.type': 'embedding' }],
    ['LangSmith', { ...MODEL, 'langsmith.span.kind': 'embedding' }],
    [
      'OpenInference',
      {
        'openinference.span.kind': 'EMBEDDING',
        'embedding.model_name': 'text-embedding-3-small',
        'llm.token_count.prompt': 7,
      },
    ],
    [
      'the Vercel AI SDK',
      { 'ai.operationId': 'ai.embed.doEmbed', 'ai.model.id': 'text-embedding-3-small', 'ai.usage.tokens': 7 },
    ],
    [
      'the Vercel AI SDK that names a function',
      { 'operation.name': 'ai.embed.doEmbed my-fn', 'ai.model.id': 'text-embedding-3-small', 'ai.usage.tokens': 7 },
    ],
  ])('reads what an embedding by %s is priced by', (_, attributes) => {
    expect(readEmbedding(testSpan(attributes))).toMatchObject({
      provider: 'unknown',
      model: 'text-embedding-3-small',
      usage: { input: 7, output: null },
      reportedPrice: null,
    });
  });

  it('reads the provider and the reported price', () => {
    const attributes = { ...EMBEDDING, 'gen_ai.system': 'OpenAI', 'gen_ai.usage.cost': 0.5 };
    expect(readEmbedding(testSpan(attributes))).toMatchObject({ provider: 'openai', reportedPrice: 0.5 });
  });

  it.each<[string, JsonObject]>([
    ['a call', { ...MODEL, 'gen_ai.operation.name': 'chat' }],
    ['a retrieval', { ...MODEL, 'gen_ai.operation.name': 'retrieval' }],
    ['an agent that adds up usage', { ...MODEL, 'gen_ai.operation.name': 'invoke_agent' }],
    ['the outer span of the Vercel AI SDK, which repeats the usage', { 'ai.operationId': 'ai.embed' }],
    ['an embedding that is logged elsewhere', { ...EMBEDDING, 'promptlayer.request_log.managed': true }],
  ])('does not take %s for an embedding', (_, attributes) => {
    expect(readEmbedding(testSpan(attributes))).toBeNull();
  });

  it('waits for the end of an embedding', () => {
    expect(readEmbedding(testSpan(EMBEDDING, { endNs: null }))).toBeNull();
  });
});
