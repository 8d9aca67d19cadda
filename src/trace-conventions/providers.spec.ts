import { describe, expect, it } from 'vitest';
import { canonicalProvider, readProvider } from './providers.js';
import { attributesOf } from './test-span.fixture.js';

describe('canonicalProvider', () => {
  it.each([
    ['openai', 'openai'],
    [' OpenAI ', 'openai'],
    ['openai.chat', 'openai'],
    ['openai.responses', 'openai'],
    ['openai.completion', 'openai'],
    ['openai.embedding', 'openai'],
    ['az.ai.openai', 'openai.azure'],
    ['azure.ai.openai', 'openai.azure'],
    ['azure_openai', 'openai.azure'],
    ['azure', 'openai.azure'],
    ['azure-openai.chat', 'openai.azure'],
    ['openai.azure', 'openai.azure'],
    ['anthropic', 'anthropic'],
    ['anthropic.messages', 'anthropic'],
    ['claude', 'anthropic'],
    ['gemini', 'google'],
    ['gcp.gemini', 'google'],
    ['gcp.gen_ai', 'google'],
    ['google', 'google'],
    ['google.generative-ai', 'google'],
    ['google_genai', 'google'],
    ['google-gla', 'google'],
    ['vertex_ai', 'vertexai'],
    ['gcp.vertex_ai', 'vertexai'],
    ['vertexai', 'vertexai'],
    ['google.vertex.chat', 'vertexai'],
    ['google-vertex', 'vertexai'],
    ['google_vertexai', 'vertexai'],
    ['aws.bedrock', 'amazon.bedrock'],
    ['amazon-bedrock', 'amazon.bedrock'],
    ['bedrock', 'amazon.bedrock'],
    ['bedrock_converse', 'amazon.bedrock'],
    ['aws_bedrock', 'amazon.bedrock'],
    ['AWS', 'amazon.bedrock'],
    ['mistral_ai', 'mistral'],
    ['mistralai', 'mistral'],
    ['mistral.chat', 'mistral'],
    ['cohere', 'cohere'],
    ['cohere.chat', 'cohere'],
    ['x_ai', 'xai'],
    ['xai', 'xai'],
    ['groq.chat', 'groq'],
    ['DeepSeek', 'deepseek'],
    ['toString', 'tostring'],
  ])('calls %s %s', (reported, canonical) => {
    expect(canonicalProvider(reported)).toBe(canonical);
  });

  it.each(['langchain', 'Langchain', 'litellm', 'strands-agents', 'spring_ai', '', '  ', 'unknown'])(
    'does not take %j for a vendor',
    (reported) => {
      expect(canonicalProvider(reported)).toBeNull();
    },
  );

  it.each([
    ['openai', 'our.openai.azure.com', 'openai.azure'],
    ['openai', 'our.cognitiveservices.azure.com', 'openai.azure'],
    ['openai', 'api.openai.com', 'openai'],
    ['anthropic', 'us-east5-aiplatform.googleapis.com', 'vertexai'],
    ['anthropic', 'api.anthropic.com', 'anthropic'],
    ['mistral', 'our.openai.azure.com', 'mistral'],
  ])('calls %s at %s %s', (reported, address, canonical) => {
    expect(canonicalProvider(reported, address)).toBe(canonical);
  });
});

describe('readProvider', () => {
  it.each([
    [{ 'promptlayer.provider.type': 'openai.azure', 'gen_ai.provider.name': 'openai' }, 'openai.azure'],
    [{ 'gen_ai.provider.name': 'anthropic', 'gen_ai.system': 'openai' }, 'anthropic'],
    [{ 'gen_ai.system': 'az.ai.openai', 'llm.provider': 'x' }, 'openai.azure'],
    [{ 'gen_ai.system': 'langchain', 'langsmith.metadata.ls_provider': 'anthropic' }, 'anthropic'],
    [{ 'gen_ai.system': 'openai', 'server.address': 'x.openai.azure.com' }, 'openai.azure'],
    [{ 'gen_ai.system': 5, 'ai.model.provider': 'openai.chat' }, '5'],
    [{ 'gen_ai.system': ['openai'], 'llm.system': 'cohere' }, 'cohere'],
    [{ 'gen_ai.model.provider': 'groq' }, 'groq'],
  ])('prefers the more particular source in %j', (attributes, provider) => {
    expect(readProvider(attributesOf(attributes), 'claude-3')).toBe(provider);
  });

  it.each([
    ['gpt-4o', 'openai'],
    ['o1', 'openai'],
    ['o3-mini', 'openai'],
    ['o4-mini', 'openai'],
    ['chatgpt-4o-latest', 'openai'],
    ['Claude-3', 'anthropic'],
    ['gemini-2.5-pro', 'google'],
    ['mistral-large', 'mistral'],
    ['mixtral-8x7b', 'mistral'],
    ['command-r', 'cohere'],
    ['openai/gpt-4o', 'openai'],
    ['anthropic.claude-3-5-sonnet-20240620-v1:0', 'amazon.bedrock'],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'amazon.bedrock'],
    ['us-gov.amazon.nova-pro-v1:0', 'amazon.bedrock'],
    ['arn:aws:bedrock:eu-west-1:1:inference-profile/global.anthropic.claude-sonnet-4-5', 'amazon.bedrock'],
    ['llama-3', null],
  ])('infers from model %s: %s', (model, provider) => {
    expect(readProvider(attributesOf({ 'gen_ai.system': 'litellm' }), model)).toBe(provider);
  });

  it('does not guess without a model', () => {
    expect(readProvider(attributesOf({}), null)).toBeNull();
  });
});
