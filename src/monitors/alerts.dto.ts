import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { JsonObject } from '../platform/json.js';
import type { Definition } from './definition.js';
import { itemsFilter, itemsPath } from './items-link.js';
import { FILTER_GROUPS } from './monitor-fields.js';
import { ALERT_STATES, type AlertState, type MonitorAlert } from './monitor-alert.entity.js';
import { type Cause, CAUSES, type Closing, CLOSINGS } from './play.js';
import type { Preview, PreviewedAlert, PreviewedGroup } from './preview.service.js';
import { toVerdictBody, VerdictBody } from './verdict.dto.js';

const CAUSE = 'Why it was opened: a `limit`, a figure that is not as `usual`, or `no_data`.';
const CLOSING = 'Why it was closed; null while it is open.';

@Closed()
export class ListAlertsQuery extends CursorQuery {
  @EnumField(ALERT_STATES, { optional: true, query: true, description: 'Only alerts in this state.' })
  state?: AlertState;

  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

export class AlertBody {
  @UuidField({ description: 'The id of the alert.' })
  id: string;

  @TextField({ nullable: true, description: 'The model, prompt, user or tag; null for monitors without groups.' })
  group: string | null;

  @EnumField(CAUSES, { description: CAUSE })
  cause: Cause;

  @EnumField(ALERT_STATES, { description: 'At most one alert of a group is open.' })
  state: AlertState;

  @DateTimeField({ description: 'The end of the window that opened it.' })
  opened_at: string;

  @DateTimeField({ nullable: true, description: 'The end of the window that closed it; null while it is open.' })
  closed_at: string | null;

  @EnumField(CLOSINGS, { nullable: true, description: CLOSING })
  closing: Closing | null;

  @ApiProperty({ type: () => VerdictBody, description: 'The evaluation that opened it.' })
  opened_by: VerdictBody;

  @ApiProperty({
    type: () => VerdictBody,
    description: 'The last evaluation while it was open, or the one that closed it.',
  })
  last: VerdictBody;

  @JsonObjectField({
    anyOf: FILTER_GROUPS,
    description: 'Selects the items that opened it, for the search of the source.',
  })
  items_filter_group: JsonObject;
}

export class AlertsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [AlertBody],
    description: 'The alerts of the page, newest first unless `order` is `asc`.',
  })
  data: AlertBody[];
}

export class PreviewedAlertBody extends VerdictBody {
  @EnumField(CAUSES, { description: CAUSE })
  cause: Cause;

  @DateTimeField({ description: 'When it would have been opened.' })
  opened_at: string;

  @DateTimeField({ nullable: true, description: 'When it would have been closed; null if it would still be open.' })
  closed_at: string | null;

  @EnumField(CLOSINGS, { nullable: true, description: CLOSING })
  closing: Closing | null;

  @IntegerField({ description: 'Minutes for which it would have been open, until now if it still would be.' })
  open_minutes: number;

  @TextField({ description: 'The message that would have been sent.' })
  text: string;
}

export class PreviewedGroupBody {
  @TextField({ nullable: true, description: 'The model, prompt, user or tag; null for monitors without groups.' })
  group: string | null;

  @ApiProperty({ type: () => [VerdictBody], description: 'One evaluation for each hour, oldest first.' })
  points: VerdictBody[];

  @ApiProperty({
    type: () => [PreviewedAlertBody],
    description: 'The alerts that would have been opened, oldest first.',
  })
  alerts: PreviewedAlertBody[];
}

export class PreviewResponse {
  @SuccessField()
  success: true;

  @DateTimeField({ description: 'The start of the 14 days that were replayed.' })
  start_time: string;

  @DateTimeField({ description: 'The end of the 14 days.' })
  end_time: string;

  @IntegerField({
    description: 'Minutes between two evaluations of the preview. Windows of an hour or more end at whole hours in it.',
  })
  step_minutes: number;

  @ApiProperty({ type: () => [PreviewedGroupBody], description: 'The groups with the most items, at most five.' })
  groups: PreviewedGroupBody[];
}

export function toAlertBody(alert: MonitorAlert): AlertBody {
  const { definition, groupKey: group, firstVerdict, lastVerdict } = alert;
  const pathOf = ({ window }: MonitorAlert['firstVerdict']) => itemsPath(definition, { group, window });
  return {
    id: alert.id,
    group: group === '' ? null : alert.groupLabel,
    cause: alert.cause,
    state: alert.state,
    opened_at: alert.openedAt.toISOString(),
    closed_at: alert.closedAt?.toISOString() ?? null,
    closing: alert.closing,
    opened_by: toVerdictBody(firstVerdict, pathOf(firstVerdict)),
    last: toVerdictBody(lastVerdict, pathOf(lastVerdict)),
    items_filter_group: itemsFilter(definition, { group, window: firstVerdict.window }),
  };
}

export const toPreviewResponse = (
  definition: Definition,
  preview: Preview,
  textOf: (group: PreviewedGroup, alert: PreviewedAlert) => string,
): PreviewResponse => ({
  success: true,
  start_time: new Date(preview.from).toISOString(),
  end_time: new Date(preview.to).toISOString(),
  step_minutes: preview.stepMinutes,
  groups: preview.groups.map((group) => ({
    group: group.group === '' ? null : group.label,
    points: group.verdicts.map((verdict) =>
      toVerdictBody(verdict, itemsPath(definition, { group: group.group, window: verdict.window })),
    ),
    alerts: group.alerts.map((alert) => ({
      ...toVerdictBody(alert.verdict, itemsPath(definition, { group: group.group, window: alert.verdict.window })),
      cause: alert.cause,
      opened_at: new Date(alert.openedAt).toISOString(),
      closed_at: alert.closedAt === null ? null : new Date(alert.closedAt).toISOString(),
      closing: alert.closing,
      open_minutes: Math.round(((alert.closedAt ?? preview.to) - alert.openedAt) / 60_000),
      text: textOf(group, alert),
    })),
  })),
});
