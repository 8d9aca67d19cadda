import { defineEvent } from '../../events/index.js';

interface PromptDetails {
  prompt_template_id: number;
  prompt_template_name: string;
}
interface VersionDetails extends PromptDetails {
  prompt_template_version_number: number;
}
interface LabelDetails extends VersionDetails {
  prompt_template_label: string;
}

interface AbReleaseDetails extends PromptDetails {
  ab_release_id: number;
  prompt_template_label: string;
}

/** Events of the prompt registry. */
export const PromptEvents = {
  versionCreated: defineEvent<VersionDetails>('prompt_template_version_created', 'A version was published.'),
  updated: defineEvent<VersionDetails>(
    'prompt_template_updated',
    'A snippet that the latest version imports, directly or in another snippet, says something else now or was deleted.',
  ),
  nameChanged: defineEvent<PromptDetails & { old_prompt_template_name: string }>(
    'prompt_template_name_changed',
    'A prompt was renamed.',
  ),
  deleted: defineEvent<PromptDetails>('prompt_template_deleted', 'A prompt was deleted.'),
  labelCreated: defineEvent<LabelDetails>('prompt_template_label_created', 'A release label was put on a version.'),
  labelMoved: defineEvent<LabelDetails & { old_prompt_template_version_number: number }>(
    'prompt_template_label_moved',
    'A release label was moved to another version.',
  ),
  labelDeleted: defineEvent<LabelDetails>('prompt_template_label_deleted', 'A release label was removed.'),
  abReleaseCreated: defineEvent<AbReleaseDetails>(
    'prompt_template_ab_release_created',
    'An A/B release was put on a release label.',
  ),
  abReleaseUpdated: defineEvent<AbReleaseDetails>(
    'prompt_template_ab_release_updated',
    'An A/B release splits requests in another way.',
  ),
  abReleaseDeleted: defineEvent<AbReleaseDetails>(
    'prompt_template_ab_release_deleted',
    'An A/B release was deleted, by itself or with its label or prompt.',
  ),
};
