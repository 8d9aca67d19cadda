import { useState } from 'react';
import { ModelField } from '../models/model-field';
import { useForget } from '../sheet/sheet-data';
import { Field } from '../ui/form';
import { Refused } from '../ui/parts';
import { AddScorer } from './add-scorer';
import { prepareColumn, prepareScorecard } from './prepare';
import { expectedAt, fieldsOf, type Scorer, TEMPLATES } from './scorers';
import { ColumnChoice } from './wizard-run';
import { pathOf, type SheetStep } from './wizard-state';

/** The step that chooses the scorers. */
export function ScorersStep({ wizard, columns, variables }: SheetStep) {
  const { state, set, draft, change } = wizard;
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const path = pathOf(state);
  const forget = useForget(path);
  const { scorers } = draft;
  const output = columns.flatMap(({ id, title }) => (id === draft.aim ? [id, title] : []));
  const prepare = async () => {
    const outputs = await prepareColumn(path, { draft, columns, column: wizard.column, variables });
    const { id: column } = outputs;
    try {
      await prepareScorecard(path, { draft, columns }, outputs);
    } catch (refusal) {
      // The column is there: the next attempt changes it instead of adding another one.
      change({ isAhead: true });
      set({ column }, { replace: true });
      await forget();
      throw refusal;
    }
    // The steps have ids now: coming back changes these instead of adding others.
    change({ filled: null, made: { ...draft.made, [state.sheet]: column } });
    void forget();
    set({ step: 'plan', column });
  };
  const goOn = () => {
    setError(null);
    setWaiting(true);
    prepare()
      .catch((reason: Error) => setError(reason))
      .finally(() => setWaiting(false));
  };
  return (
    <section className="wizard-step" aria-label="Scorers">
      <h2>What is a good output?</h2>
      <ul className="scorers" aria-label="Scorers">
        {scorers.map((scorer, at) => (
          // Two scorers may have everything in common, and keep their order.
          <li key={at} className="box">
            <ScorerForm
              scorer={scorer}
              number={at + 1}
              columns={columns}
              output={output}
              onChange={(changed) => change({ scorers: scorers.with(at, changed) })}
              onRemove={() => change({ scorers: scorers.toSpliced(at, 1) })}
            />
          </li>
        ))}
      </ul>
      <AddScorer onAdd={(scorer) => change({ scorers: [...scorers, scorer] })} />
      <Refused error={error} />
      <div className="actions">
        <button className="button primary" disabled={isWaiting || scorers.length === 0} onClick={goOn}>
          Show the plan
        </button>
      </div>
    </section>
  );
}

interface ScorerProps {
  scorer: Scorer;
  number: number;
  columns: SheetStep['columns'];
  /** Title and id of the column that the existing scorers evaluate. */
  output: string[];
  onChange: (scorer: Scorer) => void;
  onRemove: () => void;
}

function ScorerForm({ scorer, number, columns, output, onChange, onRemove }: ScorerProps) {
  const { template, title, type, config } = scorer;
  const set = (part: Record<string, unknown>) => onChange({ ...scorer, config: { ...config, ...part } });
  return (
    <div role="group" aria-label={`Scorer ${number}`}>
      <header className="actions">
        <strong>{template === '' ? type : TEMPLATES[template].label}</strong>
        <span className="spacer" />
        <button className="button" aria-label={`Remove scorer ${number}`} onClick={onRemove}>
          Remove
        </button>
      </header>
      <Field label="Title">
        <input
          className="field"
          maxLength={255}
          value={title}
          onChange={(event) => onChange({ ...scorer, title: event.target.value })}
        />
      </Field>
      {template === '' && <p className="quiet-text">Unchanged. Edit its settings in the scorecard of the sheet.</p>}
      {fieldsOf(scorer).map((field) => (
        <ScorerPart key={field} {...{ field, config, columns, set }} expected={expectedAt(scorer, output)} />
      ))}
    </div>
  );
}

interface PartProps {
  field: string;
  config: Record<string, unknown>;
  columns: SheetStep['columns'];
  /** Position of the expected text among the columns that are compared. */
  expected: 0 | 1;
  set: (part: Record<string, unknown>) => void;
}

function ScorerPart({ field, config, columns, expected, set }: PartProps) {
  if (field === 'expected') {
    const [first = '', second = ''] = config.sources as string[];
    return (
      <ColumnChoice
        label="Column with the expected text"
        columns={columns}
        value={expected === 0 ? first : second}
        onChange={(title) => set({ sources: [first, second].with(expected, title) })}
      />
    );
  }
  if (field === 'question') return <Question {...{ config, set }} />;
  const { label, key, hint } = TEXTS[field]!;
  const value = config[key];
  return (
    <Field label={label} hint={hint}>
      <textarea
        className="field grows"
        rows={key === 'schema' ? 4 : 1}
        spellCheck={false}
        value={typeof value === 'string' ? value : value ? JSON.stringify(value) : ''}
        onChange={(event) => set({ [key]: event.target.value })}
      />
    </Field>
  );
}

const TEXTS: Record<string, { label: string; key: string; hint?: string }> = {
  text: { label: 'Text', key: 'value' },
  pattern: { label: 'Regular expression', key: 'regex_pattern', hint: 'In Python syntax, without lookaround.' },
  schema: { label: 'JSON Schema', key: 'schema' },
};

function Question({ config, set }: Pick<PartProps, 'config' | 'set'>) {
  const engine = (config.engine ?? {}) as { provider?: string; model?: string };
  const model = { provider: engine.provider ?? '', name: engine.model ?? '' };
  return (
    <>
      <Field label="Question" hint="Answered with yes or no, and a reason.">
        <textarea
          className="field grows"
          rows={2}
          maxLength={100_000}
          value={String(config.prompt ?? '')}
          onChange={(event) => set({ prompt: event.target.value })}
        />
      </Field>
      <div className="form-field">
        <span>Model of the judge</span>
        <ModelField
          model={model}
          onChange={({ provider, name }) =>
            set({ engine: provider === '' && name === '' ? null : { ...engine, provider, model: name } })
          }
        />
        <p className="quiet-text">Default: the default model of the workspace.</p>
      </div>
    </>
  );
}
