import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AmazonBedrockProvider } from './amazon-bedrock.provider.js';
import { AnthropicProvider } from './anthropic.provider.js';
import { AzureOpenAiProvider } from './azure-openai.provider.js';
import { BedrockAnthropicProvider } from './bedrock-anthropic.provider.js';
import { CohereProvider } from './cohere.provider.js';
import { EchoProvider } from './echo.provider.js';
import { GoogleProvider } from './google.provider.js';
import { HuggingFaceProvider } from './huggingface.provider.js';
import { MistralProvider } from './mistral.provider.js';
import { OpenAiProvider } from './openai.provider.js';
import { OpenRouterProvider } from './openrouter.provider.js';
import { VertexAiProvider } from './vertexai.provider.js';
import { ModelProviders } from './model-providers.js';

/** Model providers. Modules from outside add their own by listing a class with `@ModelProvider`. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    ModelProviders,
    AmazonBedrockProvider,
    AnthropicProvider,
    AzureOpenAiProvider,
    BedrockAnthropicProvider,
    CohereProvider,
    EchoProvider,
    GoogleProvider,
    HuggingFaceProvider,
    MistralProvider,
    OpenAiProvider,
    OpenRouterProvider,
    VertexAiProvider,
  ],
  exports: [ModelProviders],
})
export class ProvidersModule {}
