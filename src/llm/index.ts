export { LlmModule } from './llm.module.js';
export { ProvidersModule } from './providers/providers.module.js';
export { CredentialStore } from './credentials/credential-store.js';
export { ModelCredential } from './credentials/model-credential.entity.js';
export { ModelCredentialsService } from './credentials/model-credentials.service.js';
export type { ModelCall, ModelProviderPlugin, ParameterTarget } from './providers/model-provider.js';
export {
  type CredentialNeeds,
  isSameProvider,
  ModelProvider,
  type ModelProviderOptions,
  ModelProviders,
} from './providers/model-providers.js';
export type { ParameterConcept, ParameterNames } from './formats/shared/parameters.js';
export { FailedCall, type MadeCall, ModelCalls, type StreamedCall, type TextSink } from './calls/model-calls.js';
export { ModelFailure } from './calls/model-failure.js';
export { leftOut, RefusedArguments } from './calls/refused-arguments.js';
export type {
  EmbeddingRequest,
  EmbeddingResponse,
  ModelConnection,
  ModelRequest,
  ModelResponse,
  ModelStream,
  StreamItem,
} from './calls/connection.js';
export { STREAM_END } from './calls/connection.js';
export { hasDialogue } from './shared/dialogue.js';
export { estimateTokens } from './calls/estimate-tokens.js';
