export { LlmModule } from './llm.module.js';
export type { ModelCall, ModelProviderPlugin, ParameterTarget } from './providers/model-provider.js';
export { ModelProvider, type ModelProviderOptions, ModelProviders } from './providers/model-providers.js';
export type { ParameterConcept, ParameterNames } from './providers/parameters.js';
