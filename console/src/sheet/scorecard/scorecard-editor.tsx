import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { api } from '../../api/client';
import type { ScorecardBody } from '../../api/schema.gen';
import { AddScorer } from '../../evaluations/add-scorer';
import { Field, FormDialog, type FormValues, SelectField } from '../../ui/form';
import { Options } from '../../ui/options';
import { SHEET, useSheet } from '../sheet-data';
import { draftsOf, newDraft, type StepDraft, stepTypes, toStep } from './step-draft';
import { StepForm } from './step-form';

const METHODS = {
  weighted_mean: 'Weighted mean',
  mean: 'Mean, without weights',
  min: 'The smallest',
  max: 'The largest',
};
const FAILURES = { fail: 'The sheet fails', warn: 'A pass becomes a warning', error: 'The verdict is an error' };

interface Props {
  /** Null for a sheet without one. */
  scorecard: ScorecardBody | null;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
}

/** The whole scorecard: the judged column, the steps, and the combination of their scores. */
export function ScorecardEditor({ scorecard, onSaved, onClose }: Props) {
  const { path, all, types } = useSheet();
  const [judged, setJudged] = useState(scorecard?.evaluated_column_ids[0] ?? '');
  const [before] = useState<StepDraft[]>(() => draftsOf(scorecard, types, all));
  const [steps, setSteps] = useState(before);
  const save = async (values: FormValues) => {
    const kept = scorecard?.evaluated_column_ids.slice(1) ?? [];
    const aggregation = { ...scorecard?.aggregation, ...aggregationIn(values) };
    const body = {
      name: values.text('name'),
      aggregation,
      evaluated_column_ids: judged === '' ? kept : [judged, ...kept.filter((id) => id !== judged)],
      steps: steps.map((step) => toStep(step, types, aggregation)),
      display_config: scorecard?.display_config ?? null,
      baseline_config: scorecard?.baseline_config ?? null,
    };
    await api(`PATCH ${SHEET}/scorecard`, { path, body });
    await onSaved();
  };
  return (
    <FormDialog
      title={scorecard ? 'Edit the scorecard' : 'Make a scorecard'}
      submit="Save the scorecard"
      isWide
      isChanged={steps !== before}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="Name" isRequired>
        <input
          className="field"
          name="name"
          data-first=""
          required
          maxLength={255}
          defaultValue={scorecard?.name ?? 'Scorecard'}
        />
      </Field>
      <Field label="Judged column" hint="The default input of new steps. It does not affect scores.">
        <select className="field" value={judged} onChange={({ target }) => setJudged(target.value)}>
          <Options pairs={[['', 'None'], ...all.map(({ id, title }) => [id, title] as const)]} />
        </select>
      </Field>
      <Steps steps={steps} judged={judged} onChange={setSteps} />
      <Aggregation aggregation={scorecard?.aggregation} />
    </FormDialog>
  );
}

type Aggregated = ScorecardBody['aggregation'];

const aggregationIn = (values: FormValues) => ({
  method: values.text('method') as Aggregated['method'],
  required_step_failure_behavior: values.text('failure') as Aggregated['required_step_failure_behavior'],
  pass_threshold: values.number('pass'),
  warn_threshold: values.number('warn'),
});

interface StepsProps {
  steps: StepDraft[];
  judged: string;
  onChange: (steps: StepDraft[]) => void;
}

function Steps({ steps, judged, onChange }: StepsProps) {
  const { types } = useSheet();
  const made = useRef(0);
  const list = useRef<HTMLFieldSetElement>(null);
  const { move, said } = useMoves(list, steps, onChange);
  const add = (scorer: Parameters<typeof newDraft>[0]) =>
    onChange([...steps, newDraft(scorer, `new ${(made.current += 1)}`, judged)]);
  const addType = (name: string) => {
    const type = types.get(name);
    if (type) add({ title: type.title, type: name, config: {} });
  };
  return (
    <fieldset ref={list} className="scorecard-steps">
      <legend>Steps</legend>
      <p role="status" className="visually-hidden">
        {said}
      </p>
      {steps.length === 0 && <p className="quiet-text">A step is a check that every row gets. Add the first one.</p>}
      {steps.map((step, at) => (
        <div key={step.key} className="box" data-step={step.key}>
          <StepForm
            step={step}
            number={at + 1}
            total={steps.length}
            onMove={(by) => move(at, by)}
            onChange={(changed) => onChange(steps.with(at, changed))}
            onRemove={() => onChange(steps.toSpliced(at, 1))}
          />
        </div>
      ))}
      <AddScorer onAdd={add} />
      <select
        className="field"
        aria-label="Add a step of another type"
        value=""
        onChange={({ target }) => addType(target.value)}
      >
        <Options
          pairs={[
            ['', 'Add a step of another type…'],
            ...stepTypes(types).map(({ type, title }) => [type, title] as const),
          ]}
        />
      </select>
    </fieldset>
  );
}

/** Moves steps. The focus stays with the step, also where its button leads no further. */
function useMoves(
  list: RefObject<HTMLElement | null>,
  steps: StepDraft[],
  onChange: (steps: StepDraft[]) => void,
): { move: (at: number, by: -1 | 1) => void; said: string } {
  const [moved, setMoved] = useState<{ key: string; by: number; said: string } | null>(null);
  useLayoutEffect(() => {
    if (!moved) return;
    const step = [...list.current!.querySelectorAll<HTMLElement>('[data-step]')].find(
      ({ dataset }) => dataset.step === moved.key,
    );
    const buttons = [...(step?.querySelectorAll<HTMLButtonElement>('[data-move]:enabled') ?? [])];
    (buttons.find(({ dataset }) => dataset.move === String(moved.by)) ?? buttons[0])?.focus();
  }, [list, moved]);
  const move = (at: number, by: -1 | 1) => {
    const step = steps[at]!;
    onChange(steps.toSpliced(at, 1).toSpliced(at + by, 0, step));
    setMoved({ key: step.key, by, said: `${step.title} is step ${at + by + 1} of ${steps.length} now.` });
  };
  return { move, said: moved?.said ?? '' };
}

function Aggregation({ aggregation }: { aggregation: Aggregated | undefined }) {
  const share = (name: 'pass' | 'warn', label: string, value: number | undefined) => (
    <Field label={label} hint="From 0 to 1.">
      <input className="field" name={name} type="number" min={0} max={1} step="any" defaultValue={value ?? ''} />
    </Field>
  );
  return (
    <fieldset className="scorecard-steps">
      <legend>Score of a row and of the sheet</legend>
      <SelectField label="Aggregation of step scores" name="method" options={METHODS} value={aggregation?.method} />
      <SelectField
        label="When a required step fails"
        name="failure"
        options={FAILURES}
        value={aggregation?.required_step_failure_behavior}
      />
      <div className="columns">
        {share('pass', 'Passes from', aggregation?.pass_threshold)}
        {share('warn', 'Warns from', aggregation?.warn_threshold)}
      </div>
    </fieldset>
  );
}
