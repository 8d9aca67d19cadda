import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AmazonBedrockProvider } from './providers/amazon-bedrock.provider.js';
import { AnthropicProvider } from './providers/anthropic.provider.js';
import { AzureOpenAiProvider } from './providers/azure-openai.provider.js';
import { BedrockAnthropicProvider } from './providers/bedrock-anthropic.provider.js';
import { CohereProvider } from './providers/cohere.provider.js';
import { GoogleProvider } from './providers/google.provider.js';
import { HuggingFaceProvider } from './providers/huggingface.provider.js';
import { MistralProvider } from './providers/mistral.provider.js';
import { ModelProviders } from './providers/model-providers.js';
import { OpenAiProvider } from './providers/openai.provider.js';
import { OpenRouterProvider } from './providers/openrouter.provider.js';
import { VertexAiProvider } from './providers/vertexai.provider.js';

/** Model providers. Modules from outside add their own by listing a class with `@ModelProvider`. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    ModelProviders,
    OpenAiProvider,
    AzureOpenAiProvider,
    AnthropicProvider,
    BedrockAnthropicProvider,
    GoogleProvider,
    VertexAiProvider,
    MistralProvider,
    CohereProvider,
    HuggingFaceProvider,
    OpenRouterProvider,
    AmazonBedrockProvider,
  ],
  exports: [ModelProviders],
})
export class LlmModule {}
