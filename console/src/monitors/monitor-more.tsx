import { isLimit, type MonitorDraft } from './monitor-draft';
import { Field } from '../ui/form';
import { Options, pairsOf } from '../ui/options';

const NO_DATA = { keep: 'Nothing changes', ok: 'It is fine', open: 'An alert opens' };
const ORIGINS = {
  application: 'Applications',
  evaluation: 'Evaluations',
  sheet: 'Sheets',
  trial: 'Trials in the playground',
  workflow: 'Workflows',
  server: 'This server',
  all: 'Anybody',
};

interface Props {
  draft: MonitorDraft;
  set: (change: Partial<MonitorDraft>) => void;
  /** The unit of the measure. */
  unit: string;
}

/** Settings of a monitor that are seldom changed. */
export function MoreOfMonitor({ draft, set, unit }: Props) {
  return (
    <details className="monitor-more">
      <summary>More</summary>
      <div className="monitor-fields">
        <Field label="Words in the items">
          <input
            className="field"
            maxLength={1000}
            value={draft.q}
            onChange={(event) => set({ q: event.target.value })}
          />
        </Field>
        <Select label="Made by" options={ORIGINS} value={draft.origin} onChange={(origin) => set({ origin })} />
        <Select
          label="When there are no items"
          options={NO_DATA}
          value={draft.noData}
          onChange={(noData) => set({ noData })}
        />
        <Numbered
          label="Minutes without a problem that close an alert"
          hint="Empty: as long as the window."
          most={10_080}
          value={draft.closesAfter}
          onChange={(closesAfter) => set({ closesAfter })}
        />
        <Numbered
          label="Hours until an open alert is sent again"
          hint="Empty: it is sent once."
          least={1}
          most={168}
          value={draft.repeat}
          onChange={(repeat) => set({ repeat })}
        />
        {!isLimit(draft) && <UsualFields draft={draft} set={set} unit={unit} />}
      </div>
    </details>
  );
}

function UsualFields({ draft, set, unit }: Props) {
  return (
    <>
      <Numbered label="Weeks before" least={1} most={8} value={draft.weeks} onChange={(weeks) => set({ weeks })} />
      <Numbered
        label="False alarms a week"
        least={0.001}
        most={10}
        step="any"
        value={draft.falseAlarms}
        onChange={(falseAlarms) => set({ falseAlarms })}
      />
      <Numbered
        label={unit === '' ? 'Smallest change' : `Smallest change in ${unit}`}
        hint="Smaller differences open no alert."
        step="any"
        value={draft.leastChange}
        onChange={(leastChange) => set({ leastChange })}
      />
    </>
  );
}

interface SelectProps {
  label: string;
  options: Record<string, string>;
  value: string;
  onChange: (value: string) => void;
}

function Select({ label, options, value, onChange }: SelectProps) {
  return (
    <Field label={label}>
      <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        <Options pairs={pairsOf(options)} />
      </select>
    </Field>
  );
}

interface NumberedProps {
  label: string;
  hint?: string;
  least?: number;
  most?: number;
  step?: string;
  value: string;
  onChange: (value: string) => void;
}

function Numbered({ label, hint, least = 0, most, step = '1', value, onChange }: NumberedProps) {
  return (
    <Field label={label} hint={hint}>
      <input
        className="field"
        type="number"
        min={least}
        max={most}
        step={step}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** A field in a sentence. */
export function TextInput(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isNumber?: boolean;
}) {
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
