import { PromptLabel, PromptRecord, PromptText, PromptVersion } from './registry/prompt.entity.js';
import { PromptSnippet } from './snippets/prompt-snippet.entity.js';

export { PromptsModule } from './prompts.module.js';
export { readPromptNames } from './registry/prompt-names.js';
export { resolvePromptReferences } from './registry/resolve-references.js';

export const promptEntities = [PromptRecord, PromptVersion, PromptLabel, PromptText, PromptSnippet];
