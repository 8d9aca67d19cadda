import { Field } from '../../ui/form';
import { ConfigForm } from '../config-form';
import { useSheet } from '../sheet-data';
import type { StepDraft } from './step-draft';

interface Props {
  step: StepDraft;
  number: number;
  /** Number of steps. */
  total: number;
  onChange: (step: StepDraft) => void;
  /** Moves the step by this many positions. */
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** The fields of a step's type, and its weight. */
export function StepForm({ step, number, total, onChange, onMove, onRemove }: Props) {
  const { all, types } = useSheet();
  const type = types.get(step.type);
  const set = (part: Partial<StepDraft>) => onChange({ ...step, ...part });
  return (
    <div role="group" aria-label={`Step ${number}`}>
      <header className="actions">
        <strong>{type?.title ?? step.type}</strong>
        <span className="spacer" />
        <button
          type="button"
          className="button"
          data-move="-1"
          aria-label={`Move step ${number} up`}
          disabled={number === 1}
          onClick={() => onMove(-1)}
        >
          Up
        </button>
        <button
          type="button"
          className="button"
          data-move="1"
          aria-label={`Move step ${number} down`}
          disabled={number === total}
          onClick={() => onMove(1)}
        >
          Down
        </button>
        <button type="button" className="button" aria-label={`Remove step ${number}`} onClick={onRemove}>
          Remove
        </button>
      </header>
      <Field label="Title">
        <input
          className="field"
          maxLength={255}
          value={step.title}
          onChange={({ target }) => set({ title: target.value })}
        />
      </Field>
      {type && <ConfigForm type={type} columns={all} values={step.config} onChange={(config) => set({ config })} />}
      <div className="columns">
        <Share label="Weight" value={step.weight} onChange={(weight) => set({ weight })} />
        <Share label="Passes from" value={step.pass} onChange={(pass) => set({ pass })} />
        <Share label="Warns from" value={step.warn} onChange={(warn) => set({ warn })} />
      </div>
      <label className="tick">
        <input type="checkbox" checked={step.required} onChange={({ target }) => set({ required: target.checked })} />
        Required: its failure decides the verdict
      </label>
    </div>
  );
}

interface ShareProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function Share({ label, value, onChange }: ShareProps) {
  return (
    <Field label={label} hint={label === 'Weight' ? 'A weight of 2 counts twice.' : 'Empty: as the scorecard.'}>
      <input
        className="field"
        type="number"
        min={0}
        max={label === 'Weight' ? undefined : 1}
        step="any"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
