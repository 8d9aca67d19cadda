import { defineDomain } from '../platform/domain.js';
import { AbRelease } from './ab-releases/ab-release.entity.js';
import { PromptsModule } from './prompts.module.js';
import { PromptLabel, PromptRecord, PromptText, PromptVersion } from './shared/prompt.entity.js';
import { PromptSnippet } from './snippets/prompt-snippet.entity.js';

const permissions = ['PROMPT_CREATE', 'PROMPT_EDIT', 'PROMPT_DELETE', 'PROMPT_DEPLOY'] as const;

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('prompts', {
  holds: 'The prompt registry: versions, labels, snippets, rendering',
  uses: ['llm', 'events', 'entity-lists', 'external-ids', 'folders', 'registry', 'storage', 'tools'],
  module: () => PromptsModule,
  entities: [AbRelease, PromptLabel, PromptRecord, PromptText, PromptVersion, PromptSnippet],
  tags: [
    { name: 'Prompts', description: 'Versioned prompt templates: publish, label, render.', order: 50 },
    {
      name: 'Release labels',
      description: 'Names such as "production" that point to one version of a prompt, or split requests between some.',
      order: 60,
    },
  ],
  permissions,
});
