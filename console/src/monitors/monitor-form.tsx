import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { MonitorBody } from '../api/schema.gen';
import { counted } from '../ui/format';
import { Form } from '../ui/form';
import { Choice } from '../ui/search-field';
import {
  changeOf,
  isLimit,
  isRedefined,
  type MonitorDraft as Draft,
  NEW_MONITOR,
  type Source,
  toDraft,
  toMonitor,
} from './monitor-draft';
import { MoreOfMonitor, TextInput } from './monitor-more';
import { isOfScore, isPercentile, isShare, type Measure, MEASURES, WINDOWS } from './monitor-words';
import { Preview } from './preview';

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

const unitOf = (measure: Measure): string =>
  isShare(measure) ? '%' : isPercentile(measure) ? 'ms' : measure === 'cost' ? 'US dollars' : '';

interface Props {
  /** Null for a new one. */
  monitor: MonitorBody | null;
  onDone: (id: string) => void;
  onClose: () => void;
}

/** A monitor in one sentence of pickers, and what it would have done. */
export function MonitorForm({ monitor, onDone, onClose }: Props) {
  // The list is polled; the form keeps its values.
  const [first] = useState(() => (monitor ? toDraft(monitor) : NEW_MONITOR));
  const [draft, setDraft] = useState(first);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const body = toMonitor(draft);
  const save = useSave(monitor, first);
  return (
    <>
      <Form submit="Save the monitor" onSubmit={() => save(draft)} onDone={onDone} onCancel={onClose}>
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
        <MoreOfMonitor draft={draft} set={set} unit={unitOf(draft.measure)} />
        {monitor && <AboutAlerts monitor={monitor} closes={isRedefined(changeOf(first, draft))} />}
      </Form>
      {!isLimit(draft) && (
        <p className="quiet-text">
          Usual: the same hours of the weeks before. In each group, {draft.falseAlarms || '0.1'} false alarms a week are
          expected at most.
        </p>
      )}
      {body && <Preview body={body} />}
    </>
  );
}

/** Creates the monitor, or updates the existing one; returns its id. */
function useSave(monitor: MonitorBody | null, first: Draft): (draft: Draft) => Promise<string> {
  const refresh = useRefresh('monitors');
  return async (draft) => {
    const body = toMonitor(draft);
    if (!body) throw new Error('Fill in the whole sentence.');
    const { monitor: saved } = monitor
      ? await api('PATCH /api/public/v2/monitors/{monitor_id}', {
          path: { monitor_id: monitor.id },
          body: changeOf(first, draft),
        })
      : await api('POST /api/public/v2/monitors', { body: { ...body, name: draft.name.trim() } });
    void refresh();
    return saved.id;
  };
}

/** Says whether open alerts close or stay when the monitor is saved. */
function AboutAlerts({ monitor: { open_alerts: open }, closes }: { monitor: MonitorBody; closes: boolean }) {
  if (open === 0) return null;
  const which = open === 1 ? 'The open alert' : counted(open, 'open alert');
  return (
    <p className={closes ? 'warn' : 'quiet-text'} role="status">
      {closes
        ? `Saving closes ${which.toLowerCase()}, because the monitor is evaluated anew.`
        : `${which} ${open === 1 ? 'stays' : 'stay'} open.`}
    </p>
  );
}

interface SentenceProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

const PERCENTILES = { '50': '50', '90': '90', '95': '95', '99': '99' };

/** Choices, with a value that was set by other means. */
const withOwn = (options: Record<string, string>, value: string, text = value): Record<string, string> =>
  value in options ? options : { ...options, [value]: text };

function Sentence({ draft, set }: SentenceProps) {
  const { measure } = draft;
  const windows = withOwn(WINDOWS, draft.window, `${draft.window} minutes`);
  return (
    <p className="monitor-sentence">
      Open an alert when the
      <Choice
        label="Measure"
        options={MEASURES}
        value={measure}
        onChange={(value) => set({ measure: value as Measure })}
      />
      {isPercentile(measure) && (
        <Choice
          label="Percentile"
          options={withOwn(PERCENTILES, draft.percentile)}
          value={draft.percentile}
          onChange={(percentile) => set({ percentile })}
        />
      )}
      {isOfScore(measure) && <TextInput label="Score" value={draft.score} onChange={(score) => set({ score })} />}
      <Choice label="Groups" options={GROUPS} value={draft.by} onChange={(by) => set({ by })} />
      <Where draft={draft} set={set} />
      is
      <Choice label="Rule" options={RULES} value={draft.rule} onChange={(rule) => set({ rule })} />
      {isLimit(draft) && (
        <>
          <TextInput label="Limit" value={draft.limit} onChange={(limit) => set({ limit })} isNumber />
          <span>{unitOf(measure)}</span>
        </>
      )}
      for
      <Choice label="Window" options={windows} value={draft.window} onChange={(window) => set({ window })} />
      with at least
      <TextInput label="Least items" value={draft.least} onChange={(least) => set({ least })} isNumber />
      items.
    </p>
  );
}

/** The source and its filter. */
function Where({ draft, set }: SentenceProps) {
  const { source, field, value, own } = draft;
  // The filter of the other source has other fields.
  const choose = (next: string) => set({ source: next as Source, ...(field === 'own' && { field: '' }) });
  const conditions = own?.source === source ? { ...FIELDS, own: 'its filter matches' } : FIELDS;
  return (
    <>
      in
      <Choice label="Source" options={SOURCES} value={source} onChange={choose} />
      where
      <Choice label="Condition" options={conditions} value={field} onChange={(next) => set({ field: next })} />
      {field === 'own' && <code dir="auto">{JSON.stringify(own!.filterGroup)}</code>}
      {field !== '' && field !== 'own' && (
        <TextInput label="Value of the condition" value={value} onChange={(text) => set({ value: text })} />
      )}
    </>
  );
}
