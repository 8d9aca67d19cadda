/** A prompt of the registry as somebody names it: by id or by name, and with or without a version or label. */
export interface PromptReference {
  /** Counts more than the name. */
  id: number | null;
  name: string | null;
  /** Counts more than the label; without both the latest version is meant. */
  version: number | null;
  label: string | null;
}

/** A version of a prompt. */
export interface PromptVersionKey {
  promptId: number;
  versionNumber: number;
}

/** The version that a reference means. */
export interface PromptLink extends PromptVersionKey {
  /** The names of the variables that it asks for, itself or through its snippets. */
  variables: string[];
}
