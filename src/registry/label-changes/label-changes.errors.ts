import { defineErrors } from '../../platform/errors/problem.js';
import type { ChangeState, OutdatedReason } from './label-change.entity.js';

const BECAUSE: Record<OutdatedReason, string> = {
  label_moved: 'the label has changed since',
  item_deleted: 'what has the label was deleted',
  asker_left: 'the one who asked is no longer in the workspace or may no longer change such labels',
  expired: 'nobody approved it within 7 days',
};

export const LabelChangeErrors = defineErrors({
  label_change_not_found: {
    status: 404,
    message: (id: string) => `Label change ${id} was not found in this workspace.`,
  },
  label_change_item_not_found: {
    status: 404,
    message: (kind: string, item: string) => `There is no ${kind} ${item} in this workspace.`,
  },
  label_change_version_not_found: {
    status: 404,
    message: (item: string, version: number) => `${item} has no version ${version}.`,
  },
  approval_not_needed: {
    status: 409,
    message: (label: string) =>
      `Changes of the label ${label} need no approval in this workspace. Change it directly; approval_labels in the settings of the workspace lists those that need one.`,
  },
  label_change_empty: {
    status: 409,
    message: (label: string, version: number | null) =>
      version === null
        ? `There is no label ${label} to remove.`
        : `The label ${label} is on version ${version} already.`,
  },
  label_change_exists: {
    status: 409,
    message: (label: string, id: string) =>
      `Another change of the label ${label} is waiting for approval: label change ${id}. Have it approved, rejected or cancelled first.`,
  },
  label_change_closed: {
    status: 409,
    message: (id: string, state: ChangeState) => `Label change ${id} is not open any more: it is ${state}.`,
  },
  label_change_outdated: {
    status: 409,
    message: (id: string, reason: string) =>
      `Label change ${id} is outdated: ${reason}. Nothing was changed. Ask for the change again if it is still wanted.`,
  },
  label_change_impossible: {
    status: 409,
    message: (problem: string) => `The label cannot be changed: ${problem}`,
  },
  approver_required: {
    status: 403,
    message:
      'Only a person can decide about a label change: sign in to the console, or use a personal key. Service keys and the admin token cannot.',
  },
  approver_is_asker: {
    status: 403,
    message:
      'A second person has to decide: you have asked for this change yourself, or created the API key that asked. You can cancel it.',
  },
  label_change_of_another: {
    status: 403,
    message: 'Only the one who asked for a label change can cancel it. An approver can reject it.',
  },
});

export const outdatedChange = (id: string, because: OutdatedReason): Error =>
  LabelChangeErrors.label_change_outdated(id, BECAUSE[because]);
