import { Labels, type PlacedLabel, Registry } from '../../registry/index.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { PromptRecord, PromptVersion } from '../shared/prompt.entity.js';

export const PROMPTS = new Registry({
  noun: 'prompt',
  entry: PromptRecord,
  version: PromptVersion,
  table: 'prompts',
  idType: 'integer',
  labelsTable: 'prompt_labels',
  owner: { property: 'promptId', column: 'prompt_id' },
  externalIdType: 'prompt',
  permissions: { edit: 'PROMPT_EDIT', delete: 'PROMPT_DELETE' },
  errors: {
    notFound: PromptErrors.prompt_not_found,
    versionNotFound: PromptErrors.prompt_version_not_found,
    nameTaken: PromptErrors.prompt_name_taken,
  },
});

export const PROMPT_LABELS = new Labels(PROMPTS, {
  noun: 'release_label',
  versionsTable: 'prompt_versions',
  permission: 'PROMPT_DEPLOY',
  notFound: PromptErrors.prompt_label_not_found,
  details: (prompt, label) => ({
    ...labelDetails(prompt, label),
    old_prompt_template_version_number: label.oldNumber,
  }),
});

/** Details of a label for events and the audit trail. */
export function labelDetails(
  { id, name }: Pick<PromptRecord, 'id' | 'name'>,
  label: Pick<PlacedLabel, 'name' | 'versionNumber'>,
) {
  return {
    prompt_template_id: id,
    prompt_template_name: name,
    prompt_template_version_number: label.versionNumber,
    prompt_template_label: label.name,
  };
}
