import { defineEvent } from '../../events/index.js';
import type { ChangeState, LabelChange, LabelledKindName } from './label-change.entity.js';

interface RequestedDetails {
  label_change_id: string;
  kind: LabelledKindName;
  item_id: string;
  item_name: string;
  label: string;
  /** null for a new label. */
  from_version_number: number | null;
  /** null to remove the label. */
  version_number: number | null;
  reason: string;
  /** The key or the member. */
  asked_by: number;
  asked_user_id: number | null;
}

interface EndedDetails extends RequestedDetails {
  state: ChangeState;
  decided_by: number | null;
  decision_reason: string | null;
}

export const LabelChangeEvents = {
  requested: defineEvent<RequestedDetails>(
    'label_change_requested',
    'Somebody asked for the approval of a change of a protected label.',
  ),
  ended: defineEvent<EndedDetails>(
    'label_change_ended',
    'A request for a change of a protected label was approved, rejected or cancelled. After an approval the label has changed.',
  ),
};

/** The label, its item and both versions. */
export const labelMove = (change: LabelChange) => ({
  kind: change.kind,
  item_id: change.itemId,
  item_name: change.itemName,
  label: change.label,
  from_version_number: change.fromVersion,
  version_number: change.toVersion,
});

/** Details of a request for events and the audit trail. */
export function requestDetails(change: LabelChange): RequestedDetails {
  return {
    label_change_id: change.id,
    ...labelMove(change),
    reason: change.reason,
    asked_by: change.askedBy,
    asked_user_id: change.askedUserId,
  };
}
