import { defineEvent } from '../../events/index.js';

export const SettingsEvents = {
  approvalLabelsChanged: defineEvent<{ approval_labels: string[]; old_approval_labels: string[] }>(
    'approval_labels_changed',
    'An administrator changed which protected labels need the approval of a second person.',
  ),
};
