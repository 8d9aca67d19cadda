import type { JsonObject } from '../../platform/json.js';
import type { UsedSnippet } from '../snippets/expand-snippets.js';
import type { PromptVersionBody } from './prompts.dto.js';
import type { PublishPromptResponse } from './publish.dto.js';
import type { Published } from './publishing.service.js';
import type { ChosenVersion } from './prompts.queries.js';

/** Makes the response body of a version. Fields of `shown` replace stored ones. */
export function toVersionBody(
  { prompt, version }: ChosenVersion,
  shown: { template?: object; metadata?: object | null; llmKwargs?: JsonObject | null; snippets?: UsedSnippet[] } = {},
): PromptVersionBody {
  const { template = version.template, metadata = version.metadata, llmKwargs = null, snippets = [] } = shown;
  return {
    id: prompt.id,
    prompt_name: prompt.name,
    version: version.number,
    prompt_version_id: version.id,
    workspace_id: prompt.workspaceId,
    prompt_template: template,
    metadata,
    commit_message: version.commitMessage,
    tags: prompt.tags,
    is_snippet: prompt.isSnippet,
    folder_id: prompt.folderId,
    created_at: version.createdAt.toISOString(),
    llm_kwargs: llmKwargs,
    snippets: snippets.map(({ promptName, version: number, label }) => ({
      prompt_name: promptName,
      version: number,
      label,
    })),
  };
}

export function toPublishResponse({ prompt, version, labels, externalIds }: Published): PublishPromptResponse {
  return {
    id: prompt.id,
    prompt_name: prompt.name,
    version_number: version.number,
    prompt_version_id: version.id,
    prompt_template: version.template,
    metadata: version.metadata,
    commit_message: version.commitMessage,
    tags: prompt.tags,
    release_labels: labels,
    external_ids: externalIds,
    workspace_id: prompt.workspaceId,
    folder_id: prompt.folderId,
  };
}
