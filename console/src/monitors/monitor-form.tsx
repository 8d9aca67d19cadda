import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { PreviewMonitorRequest } from '../api/schema.gen';
import { Form } from '../ui/form';
import { Choice } from '../ui/search-field';
import { isOfScore, isPercentile, isShare, type Measure, MEASURES, WINDOWS } from './monitor-words';
import { Preview } from './preview';

type FilterGroup = NonNullable<PreviewMonitorRequest['filter_group']>;

const START = {
  name: '',
  source: 'requests',
  measure: 'failed_share',
  percentile: '95',
  score: '',
  field: '',
  value: '',
  by: '',
  rule: 'above',
  limit: '20',
  window: '60',
  least: '20',
};
type Draft = typeof START;

const SOURCES = { requests: 'requests', traces: 'traces' };
const RULES = {
  above: 'above',
  below: 'below',
  higher: 'higher than usual',
  lower: 'lower than usual',
  either: 'not as usual',
};
const GROUPS = {
  '': 'of all together',
  model: 'of each model',
  prompt: 'of each prompt',
  user: 'of each user',
  tag: 'of each tag',
};
const FIELDS = {
  '': 'everything',
  model: 'the model is',
  tag: 'the tag is',
  user: 'the user is',
  environment: 'the environment is',
};

const CONDITIONS: Record<string, Record<string, readonly [field: string, operator: string]>> = {
  requests: {
    model: ['engine', 'is'],
    tag: ['tags', 'contains'],
    user: ['user_id', 'is'],
    environment: ['environment', 'is'],
  },
  traces: {
    model: ['trace_models_used', 'contains'],
    tag: ['trace_tags', 'contains'],
    user: ['trace_user_id', 'is'],
    environment: ['trace_environment', 'is'],
  },
};

const isLimit = ({ rule }: Draft): boolean => rule === 'above' || rule === 'below';

function isComplete(draft: Draft): boolean {
  if (isLimit(draft) && (draft.limit.trim() === '' || Number.isNaN(Number(draft.limit)))) return false;
  if (isOfScore(draft.measure as Measure) && draft.score.trim() === '') return false;
  return draft.field === '' || draft.value.trim() !== '';
}

/** The monitor that the sentence describes; null while something is missing. */
export function toMonitor(draft: Draft): PreviewMonitorRequest | null {
  if (!isComplete(draft)) return null;
  const measure = draft.measure as Measure;
  return {
    source: draft.source as 'requests' | 'traces',
    measure,
    ...(isPercentile(measure) && { percentile: Number(draft.percentile) }),
    ...(isOfScore(measure) && { score: draft.score.trim() }),
    ...filterOf(draft),
    ...(draft.by !== '' && { by: draft.by as 'model' }),
    window_minutes: Number(draft.window),
    least_items: Number(draft.least) || 0,
    ...ruleOf(draft, measure),
  };
}

function filterOf({ source, field: name, value }: Draft): { filter_group?: FilterGroup } {
  const [field, operator] = CONDITIONS[source]![name] ?? [];
  if (!field) return {};
  return { filter_group: { logic: 'AND', filters: [{ field, operator, value: value.trim() }] } as FilterGroup };
}

function ruleOf(draft: Draft, measure: Measure): Pick<PreviewMonitorRequest, 'rule' | 'op' | 'limit' | 'direction'> {
  const limit = Number(draft.limit);
  if (!isLimit(draft)) return { rule: 'usual', direction: draft.rule as 'higher' };
  return { rule: 'limit', op: draft.rule as 'above', limit: isShare(measure) ? limit / 100 : limit };
}

const unitOf = (measure: Measure): string =>
  isShare(measure) ? '%' : isPercentile(measure) ? 'ms' : measure === 'cost' ? 'US dollars' : '';

/** A monitor in one sentence of pickers, and what it would have done. */
export function MonitorForm({ onDone, onClose }: { onDone: (id: string) => void; onClose: () => void }) {
  const [draft, setDraft] = useState(START);
  const refresh = useRefresh('monitors');
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const body = toMonitor(draft);
  const create = async () => {
    const named = { ...body!, name: draft.name.trim() };
    const { monitor } = await api('POST /api/public/v2/monitors', { body: named });
    void refresh();
    return monitor.id;
  };
  return (
    <>
      <Form submit="Save the monitor" disabled={body === null} onSubmit={create} onDone={onDone} onCancel={onClose}>
        <label className="monitor-name">
          Name
          <input
            className="field"
            data-first=""
            required
            maxLength={120}
            dir="auto"
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        </label>
        <Sentence draft={draft} set={set} />
      </Form>
      {!isLimit(draft) && (
        <p className="quiet-text">
          Usual: the same hours of the last four weeks. At most one false alarm in ten weeks is expected in each group.
        </p>
      )}
      {body && <Preview body={body} />}
    </>
  );
}

interface SentenceProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

function Sentence({ draft, set }: SentenceProps) {
  const measure = draft.measure as Measure;
  return (
    <p className="monitor-sentence">
      Open an alert when the
      <Choice label="Measure" options={MEASURES} value={measure} onChange={(value) => set({ measure: value })} />
      {isPercentile(measure) && (
        <Choice
          label="Percentile"
          options={{ '50': '50', '90': '90', '95': '95', '99': '99' }}
          value={draft.percentile}
          onChange={(percentile) => set({ percentile })}
        />
      )}
      {isOfScore(measure) && <Text label="Score" value={draft.score} onChange={(score) => set({ score })} />}
      <Choice label="Groups" options={GROUPS} value={draft.by} onChange={(by) => set({ by })} />
      in
      <Choice label="Source" options={SOURCES} value={draft.source} onChange={(source) => set({ source })} />
      where
      <Choice label="Condition" options={FIELDS} value={draft.field} onChange={(field) => set({ field })} />
      {draft.field !== '' && (
        <Text label="Value of the condition" value={draft.value} onChange={(value) => set({ value })} />
      )}
      is
      <Choice label="Rule" options={RULES} value={draft.rule} onChange={(rule) => set({ rule })} />
      {isLimit(draft) && (
        <>
          <Text label="Limit" value={draft.limit} onChange={(limit) => set({ limit })} isNumber />
          {unitOf(measure)}
        </>
      )}
      for
      <Choice label="Window" options={WINDOWS} value={draft.window} onChange={(window) => set({ window })} />
      with at least
      <Text label="Least items" value={draft.least} onChange={(least) => set({ least })} isNumber />
      items.
    </p>
  );
}

function Text(props: { label: string; value: string; onChange: (value: string) => void; isNumber?: boolean }) {
  const { label, value, onChange, isNumber = false } = props;
  return (
    <input
      className={isNumber ? 'field monitor-number' : 'field monitor-text'}
      type={isNumber ? 'number' : 'text'}
      step="any"
      dir="auto"
      maxLength={255}
      required
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
