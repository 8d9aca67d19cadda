export { PromptsModule } from './prompts.module.js';
export {
  FollowsPublications,
  type PublicationFollowerPlugin,
  type PublishedVersion,
} from './registry/publication-followers.js';
export { type ListedVersion, listPromptVersions, type VersionsPage } from './registry/list-versions.queries.js';
export { PromptPath } from './registry/prompts.dto.js';
export { PromptErrors } from './shared/prompts.errors.js';
export { findPromptIds, promptLabels, readPromptNames } from './registry/prompt-names.js';
export { PROMPT_VERSION_MISSING, requirePromptVersion } from './registry/require-version.js';
export { resolvePromptReferences } from './registry/resolve-references.js';
export { variablesOf } from './registry/version-variables.js';
export { findImportingVersions, type SnippetChange } from './snippets/importers.queries.js';
export type { FilledPrompt, Filling } from './running/prompt-filler.js';
export { PromptsToRun, type PromptToRun, toHistory } from './running/prompts-to-run.js';
