import type { JsonObject } from '../../platform/json.js';
import type { Prompt } from '../blueprint.js';
import type { ParameterNames } from './parameters.js';

/** What a call of a model is made of. */
export interface ModelCall {
  /** Rendered, or with its variables left in place: they stay where clients render them. */
  prompt: Prompt;
  /** null: no model is known, and the arguments hold only what the prompt gives. */
  model: string | null;
  apiType: string | null;
  /** `metadata.model.parameters` with the overrides applied; laid over everything else. */
  parameters: JsonObject;
}

/** A way to call models. One file, found by its decorator `@ModelProvider`. */
export interface ModelProviderPlugin {
  /**
   * The arguments of the vendor's client. Has to give an answer for any prompt: parts, tools and roles the vendor
   * cannot take are left out. Top-level nulls and empty lists are removed afterwards.
   */
  toKwargs(call: ModelCall): JsonObject;

  /** What the vendor calls its parameters; `apiType` is already in its usual spelling. */
  parameterNames(apiType: string | null, model: string | null): ParameterNames;
}

export interface ParameterTarget {
  provider: string;
  apiType: string | null;
  /** Matters where a provider hosts models of several vendors. */
  model?: string | null;
}
