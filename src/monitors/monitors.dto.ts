import { ApiProperty } from '@nestjs/swagger';
import { CreatedAtField, SuccessField, UpdatedAtField } from '../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  NumberField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { JsonObject } from '../platform/json.js';
import {
  alphaOf,
  type Direction,
  type GroupKind,
  type Measure,
  type NoData,
  type Source,
  stepOf,
} from './definition.js';
import { itemsPath } from './items-link.js';
import { MONITOR_STATES, type MonitorState } from './monitor.entity.js';
import { type GivenFields, MonitorField, toDefinition, toFields } from './monitor-fields.js';
import type { MonitorChange, ShownMonitor } from './monitors.service.js';
import { toVerdictBody, VerdictBody } from './verdict.dto.js';

const LONGEST_NAME = 120;
const NAME = 'The name of the monitor, without spaces around it. It is the subject of its messages.';

export class MonitorPath {
  @UuidField({ query: true, description: 'The id of the monitor.' })
  monitor_id: string;
}

@Closed()
export class ListMonitorsQuery extends CursorQuery {
  @LimitField(100)
  limit?: number;

  @OrderField('asc')
  order?: Order;
}

@Closed()
export class PreviewMonitorRequest {
  @MonitorField.source('required')
  source?: Source | null;

  @MonitorField.measure('required')
  measure: Measure;

  @MonitorField.percentile('required')
  percentile?: number | null;

  @MonitorField.score('required')
  score?: string | null;

  @MonitorField.filterGroup('required')
  filter_group?: JsonObject | null;

  @MonitorField.q('required')
  q?: string | null;

  @MonitorField.origin('required')
  origin?: string | null;

  @MonitorField.by('required')
  by?: GroupKind | null;

  @MonitorField.windowMinutes('required')
  window_minutes?: number | null;

  @MonitorField.rule('required')
  rule: 'limit' | 'usual';

  @MonitorField.op('required')
  op?: 'above' | 'below' | null;

  @MonitorField.limit('required')
  limit?: number | null;

  @MonitorField.direction('required')
  direction?: Direction | null;

  @MonitorField.weeks('required')
  weeks?: number | null;

  @MonitorField.falseAlarms('required')
  false_alarms_per_week?: number | null;

  @MonitorField.leastChange('required')
  least_change?: number | null;

  @MonitorField.leastItems('required')
  least_items?: number | null;

  @MonitorField.noData('required')
  no_data?: NoData | null;

  @MonitorField.closesAfter('required')
  closes_after_minutes?: number | null;

  @MonitorField.repeatHours('required')
  repeat_hours?: number | null;
}

@Closed()
export class CreateMonitorRequest extends PreviewMonitorRequest {
  @TextField({ minLength: 1, maxLength: LONGEST_NAME, description: NAME, example: 'Failures of gpt-4o' })
  name: string;
}

@Closed()
export class UpdateMonitorRequest {
  @TextField({
    optional: true,
    minLength: 1,
    maxLength: LONGEST_NAME,
    description: `${NAME} Missing: it stays.`,
    example: 'Failures',
  })
  name?: string;

  @EnumField(MONITOR_STATES, {
    optional: true,
    description: 'A paused monitor is not evaluated, and its open alerts are closed. Missing: it stays.',
    example: 'paused',
  })
  state?: MonitorState;

  @MonitorField.source('optional')
  source?: Source | null;

  @MonitorField.measure('optional')
  measure?: Measure | null;

  @MonitorField.percentile('optional')
  percentile?: number | null;

  @MonitorField.score('optional')
  score?: string | null;

  @MonitorField.filterGroup('optional')
  filter_group?: JsonObject | null;

  @MonitorField.q('optional')
  q?: string | null;

  @MonitorField.origin('optional')
  origin?: string | null;

  @MonitorField.by('optional')
  by?: GroupKind | null;

  @MonitorField.windowMinutes('optional')
  window_minutes?: number | null;

  @MonitorField.rule('optional')
  rule?: 'limit' | 'usual' | null;

  @MonitorField.op('optional')
  op?: 'above' | 'below' | null;

  @MonitorField.limit('optional')
  limit?: number | null;

  @MonitorField.direction('optional')
  direction?: Direction | null;

  @MonitorField.weeks('optional')
  weeks?: number | null;

  @MonitorField.falseAlarms('optional')
  false_alarms_per_week?: number | null;

  @MonitorField.leastChange('optional')
  least_change?: number | null;

  @MonitorField.leastItems('optional')
  least_items?: number | null;

  @MonitorField.noData('optional')
  no_data?: NoData | null;

  @MonitorField.closesAfter('optional')
  closes_after_minutes?: number | null;

  @MonitorField.repeatHours('optional')
  repeat_hours?: number | null;
}

export class GroupVerdictBody extends VerdictBody {
  @TextField({ nullable: true, description: 'The model, prompt, user or tag; null for monitors without groups.' })
  group: string | null;

  @BooleanField({ description: 'True while an alert of the group is open.' })
  open: boolean;
}

export class RecentFigureBody {
  @DateTimeField({ description: 'The end of the window.' })
  at: string;

  @NumberField({ nullable: true, description: 'The figure of the group with the most items; null without items.' })
  figure: number | null;
}

const STATUSES = ['open', 'quiet', 'paused', 'waiting'] as const;

export class MonitorBody {
  @UuidField({ description: 'The id of the monitor.' })
  id: string;

  @TextField({ description: NAME })
  name: string;

  @EnumField(MONITOR_STATES, { description: 'Whether the monitor is evaluated.' })
  state: MonitorState;

  @EnumField(STATUSES, {
    description: '`open` while an alert is open, `waiting` before the first evaluation, otherwise `quiet` or `paused`.',
  })
  status: (typeof STATUSES)[number];

  @IntegerField({ description: 'The number of open alerts.' })
  open_alerts: number;

  @DateTimeField({ nullable: true, description: 'When the oldest open alert was opened; null without one.' })
  open_since: string | null;

  @MonitorField.source('shown')
  source: Source;

  @MonitorField.measure('shown')
  measure: Measure;

  @MonitorField.percentile('shown')
  percentile: number | null;

  @MonitorField.score('shown')
  score: string | null;

  @MonitorField.filterGroup('shown')
  filter_group: JsonObject | null;

  @MonitorField.q('shown')
  q: string | null;

  @MonitorField.origin('shown')
  origin: string;

  @MonitorField.by('shown')
  by: GroupKind | null;

  @MonitorField.windowMinutes('shown')
  window_minutes: number;

  @MonitorField.rule('shown')
  rule: 'limit' | 'usual';

  @MonitorField.op('shown')
  op: 'above' | 'below' | null;

  @MonitorField.limit('shown')
  limit: number | null;

  @MonitorField.direction('shown')
  direction: Direction | null;

  @MonitorField.weeks('shown')
  weeks: number | null;

  @MonitorField.falseAlarms('shown')
  false_alarms_per_week: number | null;

  @MonitorField.leastChange('shown')
  least_change: number | null;

  @MonitorField.leastItems('shown')
  least_items: number;

  @MonitorField.noData('shown')
  no_data: NoData;

  @MonitorField.closesAfter('shown')
  closes_after_minutes: number;

  @MonitorField.repeatHours('shown')
  repeat_hours: number | null;

  @IntegerField({
    description: 'Minutes between two evaluations. Each takes windows that ended MONITOR_DELAY_SECONDS ago.',
  })
  step_minutes: number;

  @NumberField({
    nullable: true,
    description:
      'The level of each comparison with earlier weeks that follows from `false_alarms_per_week`; null for limits.',
  })
  alpha: number | null;

  @ApiProperty({
    type: () => [GroupVerdictBody],
    description: 'The last evaluation: open groups first, then those with the most items.',
  })
  latest: GroupVerdictBody[];

  @ApiProperty({
    type: () => [RecentFigureBody],
    description: 'The last 24 hours, one figure for each hour, oldest first.',
  })
  recent: RecentFigureBody[];

  @TextField({
    nullable: true,
    description: 'Why the last evaluation failed, such as a filter that takes too long; null if it did not.',
  })
  problem: string | null;

  @DateTimeField({
    nullable: true,
    description: 'The end of the windows that were evaluated last; null before the first evaluation.',
  })
  evaluated_to: string | null;

  @IntegerField({ nullable: true, description: 'The member or service key that created the monitor; null if unknown.' })
  created_by: number | null;

  @CreatedAtField('the monitor')
  created_at: string;

  @UpdatedAtField('the monitor')
  updated_at: string;
}

export class MonitorResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => MonitorBody, description: 'The monitor; after a deletion as it was.' })
  monitor: MonitorBody;
}

export class MonitorsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [MonitorBody],
    description: 'The monitors of the page, oldest first unless `order` is `desc`.',
  })
  data: MonitorBody[];
}

export const toNewMonitor = ({ name, ...fields }: CreateMonitorRequest) => ({
  name: name.trim(),
  definition: toDefinition(fields),
});

/** Fields of the request replace those of the monitor. */
export const toMonitorChange = ({ name, state, ...fields }: UpdateMonitorRequest): MonitorChange => ({
  ...(name !== undefined && { name: name.trim() }),
  ...(state !== undefined && { state }),
  define: (known) => {
    const changed = Object.entries(fields as GivenFields).filter(([, value]) => value !== undefined);
    return changed.length === 0 ? known : toDefinition({ ...toFields(known), ...Object.fromEntries(changed) });
  },
});

export function toMonitorBody({ monitor, open }: ShownMonitor): MonitorBody {
  const { definition, state, latest } = monitor;
  const openGroups = new Set(open.map(({ groupKey }) => groupKey));
  const since = open.map(({ openedAt }) => openedAt.getTime());
  const { rule } = definition;
  return {
    id: monitor.id,
    name: monitor.name,
    state,
    status: state === 'paused' ? 'paused' : open.length > 0 ? 'open' : latest.length > 0 ? 'quiet' : 'waiting',
    open_alerts: open.length,
    open_since: since.length === 0 ? null : new Date(Math.min(...since)).toISOString(),
    ...toFields(definition),
    step_minutes: stepOf(definition),
    alpha: rule.kind === 'usual' ? alphaOf(definition, rule) : null,
    latest: latest
      .map(({ group, label, verdict }) => ({
        group: group === '' ? null : label,
        open: openGroups.has(group),
        ...toVerdictBody(verdict, itemsPath(definition, { group, window: verdict.window })),
      }))
      .toSorted((a, b) => Number(b.open) - Number(a.open) || b.items - a.items),
    recent: monitor.recent.map(({ at, figure }) => ({ at: new Date(at).toISOString(), figure })),
    problem: monitor.problem,
    evaluated_to: monitor.evaluatedTo?.toISOString() ?? null,
    created_by: monitor.createdBy,
    created_at: monitor.createdAt.toISOString(),
    updated_at: monitor.updatedAt.toISOString(),
  };
}

export const toMonitorResponse = (shown: ShownMonitor): MonitorResponse => ({
  success: true,
  monitor: toMonitorBody(shown),
});
