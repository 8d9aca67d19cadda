import type { JsonObject } from '../../platform/json.js';
import type { Prompt } from '../shared/blueprint.js';
import type {
  EmbeddingRequest,
  EmbeddingResponse,
  ModelConnection,
  ModelRequest,
  ModelResponse,
  ModelStream,
} from '../calls/connection.js';
import type { ParameterNames } from '../formats/shared/parameters.js';

/** A call of a model, from which a provider makes arguments. */
export interface ModelCall {
  /** Rendered, or with its variables left in place: they stay where clients render them. */
  prompt: Prompt;
  /** null: no model is known, and the arguments contain only values from the prompt. */
  model: string | null;
  apiType: string | null;
  /** `metadata.model.parameters` with the overrides applied; laid over everything else. */
  parameters: JsonObject;
}

/** A way to call models. One file, found by its decorator `@ModelProvider`. */
export interface ModelProviderPlugin {
  /**
   * The arguments of the vendor's client. Must accept any prompt: parts, tools and roles that the vendor does not
   * accept are left out. Top-level nulls and empty lists are removed afterwards.
   */
  toKwargs(call: ModelCall): JsonObject;

  /** The vendor's names of its parameters; `apiType` is already in its usual spelling. */
  parameterNames(apiType: string | null, model: string | null): ParameterNames;

  /**
   * Calls the model once and returns the whole answer. Throws the errors of the vendor's client, or an error with
   * `status` and `headers`; both decide whether a retry may help. Leave it out where models can be described but not
   * called.
   */
  call?(request: ModelRequest, connection: ModelConnection): Promise<ModelResponse>;

  /**
   * The same call with a streamed answer; resolves when the answer begins. The readers of `llm/formats` put the chunks together. Leave it
   * out where answers come whole.
   */
  stream?(request: ModelRequest, connection: ModelConnection): Promise<ModelStream>;

  /** Embeds texts with one call. Leave it out where there are no embeddings. */
  embed?(request: EmbeddingRequest, connection: ModelConnection): Promise<EmbeddingResponse>;
}

export interface ParameterTarget {
  provider: string;
  apiType: string | null;
  /** Matters where a provider hosts models of several vendors. */
  model?: string | null;
}
