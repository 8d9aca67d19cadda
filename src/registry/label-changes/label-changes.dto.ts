import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_PROMPT } from '../../platform/example-data.js';
import { CreatedAtField, SuccessField } from '../../platform/http/common-fields.js';
import { DateTimeField, EnumField, IntegerField, MAX_ID, TextField, UuidField } from '../../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import {
  CHANGE_STATES,
  type ChangeState,
  LABELLED_KINDS,
  type LabelledKindName,
  OUTDATED_REASONS,
  type OutdatedReason,
  stateOf,
} from './label-change.entity.js';
import { labelMove } from './label-change-events.js';
import type { ChangeFilters, ShownLabelChange } from './label-changes.queries.js';
import type { NewLabelChange, ReadLabelChange } from './label-changes.service.js';

const LONGEST_REASON = 2000;
const LONGEST_NAME = 1024;

export class LabelChangePath {
  @UuidField({ query: true, description: 'The id of the request.' })
  label_change_id: string;
}

@Closed()
export class ListLabelChangesQuery extends CursorQuery {
  @EnumField(CHANGE_STATES, { optional: true, query: true, description: 'Only requests in this state.' })
  state?: ChangeState;

  @EnumField(LABELLED_KINDS, { optional: true, query: true, description: 'Only requests about items of this kind.' })
  kind?: LabelledKindName;

  @TextField({
    optional: true,
    query: true,
    maxLength: LONGEST_NAME,
    description:
      'Only requests about the item with this id. Ids of different kinds can be equal, so send `kind` as well.',
  })
  item_id?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only requests about the label of this name.',
  })
  label?: string;

  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

@Closed()
export class CreateLabelChangeRequest {
  @EnumField(LABELLED_KINDS, { description: 'The kind of the item that has the label.', example: 'prompt' })
  kind: LabelledKindName;

  @TextField({
    minLength: 1,
    maxLength: LONGEST_NAME,
    description: 'The id (as text) or the name of the prompt, tool, workflow or skill collection.',
    example: EXAMPLE_PROMPT,
  })
  item: string;

  @TextField({ minLength: 1, maxLength: 255, description: 'The name of the label.', example: 'live' })
  label: string;

  @IntegerField({
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The number of the version that should get the label. Null asks for the removal of the label.',
    example: 1,
  })
  version_number: number | null;

  @TextField({
    minLength: 1,
    maxLength: LONGEST_REASON,
    description: 'Why the label should change, for the person who approves. Names in it are kept in the audit trail.',
    example: 'Shorter answers; the evaluation is 4 points better.',
  })
  reason: string;
}

@Closed()
export class ApproveLabelChangeRequest {
  @TextField({
    optional: true,
    nullable: true,
    maxLength: LONGEST_REASON,
    description: 'A note on the decision.',
    example: 'Checked against the test set.',
  })
  reason?: string | null;
}

@Closed()
export class RejectLabelChangeRequest {
  @TextField({
    minLength: 1,
    maxLength: LONGEST_REASON,
    description: 'Why the label should not change.',
    example: 'The answers in German are worse.',
  })
  reason: string;
}

export class LabelChangeAuthor {
  @IntegerField({ description: 'The API key that was used, or the member who acted.' })
  key_id: number;

  @TextField({ nullable: true, description: 'The name that the key or the user has now.' })
  name: string | null;
}

export class LabelChangeAsker extends LabelChangeAuthor {
  @IntegerField({
    nullable: true,
    description:
      'The user who asked, or who created the service key that asked; this user cannot approve the change. Null when it is unknown who created the key.',
  })
  user_id: number | null;
}

export class LabelChangeBody {
  @UuidField({ description: 'The id of the request.' })
  id: string;

  @EnumField(LABELLED_KINDS, { description: 'The kind of the item.' })
  kind: LabelledKindName;

  @TextField({ description: 'The id of the item, as text.' })
  item_id: string;

  @TextField({ description: 'The name that the item had when the change was asked for.' })
  item_name: string;

  @TextField({ description: 'The name of the label.' })
  label: string;

  @IntegerField({
    nullable: true,
    description: 'The version that had the label when the change was asked for; null for a new label.',
  })
  from_version_number: number | null;

  @IntegerField({ nullable: true, description: 'The version that gets the label; null to remove the label.' })
  version_number: number | null;

  @EnumField(CHANGE_STATES, {
    description: '`outdated`: the request cannot be approved any more, for the reason in `outdated_because`.',
  })
  state: ChangeState;

  @EnumField(OUTDATED_REASONS, {
    nullable: true,
    description:
      '`label_moved`: the label has changed since. `item_deleted`: the item is gone. `asker_left`: the one who asked is no longer a member, the key was revoked, or the permission was lost. `expired`: nobody decided within 7 days. Null unless `state` is `outdated`.',
  })
  outdated_because: OutdatedReason | null;

  @TextField({ description: 'Why the label should change.' })
  reason: string;

  @ApiProperty({ type: () => LabelChangeAsker, description: 'The author of the request.' })
  asked_by: LabelChangeAsker;

  @ApiProperty({
    type: () => LabelChangeAuthor,
    nullable: true,
    description: 'The author of the approval, rejection or cancellation; null for an open or outdated request.',
  })
  decided_by: LabelChangeAuthor | null;

  @TextField({ nullable: true, description: 'The reason of the decision; null without one.' })
  decision_reason: string | null;

  @CreatedAtField('the request')
  created_at: string;

  @DateTimeField({ description: 'When an open request becomes outdated.' })
  expires_at: string;

  @DateTimeField({
    nullable: true,
    description: 'When the request was decided or became outdated by a change; else null.',
  })
  decided_at: string | null;
}

export class ReadLabelChangeBody extends LabelChangeBody {
  @IntegerField({
    nullable: true,
    description: 'The version that has the label now; null when no version has it, or the item was deleted.',
  })
  current_version_number: number | null;
}

export class LabelChangeResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => LabelChangeBody, description: 'The request.' })
  label_change: LabelChangeBody;
}

export class ReadLabelChangeResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ReadLabelChangeBody, description: 'The request, and where its label is now.' })
  label_change: ReadLabelChangeBody;
}

export class LabelChangesResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [LabelChangeBody],
    description: 'The requests of the page, newest first unless `order` is `asc`.',
  })
  data: LabelChangeBody[];
}

export function toNewLabelChange(body: CreateLabelChangeRequest): NewLabelChange {
  const { kind, item, label, version_number: toVersion, reason } = body;
  return { kind, item, label: label.trim(), toVersion, reason };
}

export function toChangeFilters({ state, kind, item_id: itemId, label }: ListLabelChangesQuery): ChangeFilters {
  return { state, kind, itemId, label };
}

export function toLabelChangeBody(change: ShownLabelChange): LabelChangeBody {
  const { state, outdatedBecause } = stateOf(change);
  const { askedBy, decidedBy } = change;
  return {
    id: change.id,
    ...labelMove(change),
    state,
    outdated_because: outdatedBecause,
    reason: change.reason,
    asked_by: { key_id: askedBy, name: change.askerName, user_id: change.askedUserId },
    decided_by: decidedBy === null ? null : { key_id: decidedBy, name: change.deciderName },
    decision_reason: change.decisionReason,
    created_at: change.createdAt.toISOString(),
    expires_at: change.expiresAt.toISOString(),
    decided_at: change.decidedAt?.toISOString() ?? null,
  };
}

export const toReadLabelChangeBody = (change: ReadLabelChange): ReadLabelChangeBody => ({
  ...toLabelChangeBody(change),
  current_version_number: change.currentVersion,
});
