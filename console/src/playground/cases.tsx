import { useState } from 'react';
import { Link } from 'wouter';
import { count, dollars, duration } from '../ui/format';
import type { Case, Filled } from './draft';
import { FillFromRows } from './fill-from-rows';
import type { Answer } from './use-trials';

interface Props {
  cases: Case[];
  variables: string[];
  /** The letters that name the variants. */
  letters: string[];
  answers: Record<string, Answer>;
  onChange: (cases: Case[]) => void;
  /** Answers belong to rows, which have moved. */
  onRemoved: () => void;
  /** Rows of a sheet become cases. */
  onFill: (cases: Case[], from: Filled) => void;
}

/** The cases with their variables, and where they meet a variant, the answer. */
export function Cases({ cases, variables, letters, answers, onChange, onRemoved, onFill }: Props) {
  return (
    <div className="cases box">
      <table>
        <thead>
          <tr>
            <th scope="col">
              {variables.length > 0 ? variables.join(', ') : 'No variables'}
              <span className="quiet-text"> · {cases.length === 1 ? '1 case' : `${cases.length} cases`}</span>
            </th>
            {letters.map((letter) => (
              <th scope="col" key={letter}>
                {letter}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cases.map((values, row) => (
            // Cases have no names, and keep their order.
            <tr key={row}>
              <th scope="row">
                <Values
                  row={row}
                  values={values}
                  variables={variables}
                  onChange={(changed) => onChange(cases.with(row, changed))}
                />
                {cases.length > 1 && (
                  <button
                    className="button quiet"
                    onClick={() => {
                      onRemoved();
                      onChange(cases.toSpliced(row, 1));
                    }}
                  >
                    Remove case {row + 1}
                  </button>
                )}
              </th>
              {letters.map((letter, column) => (
                <td key={letter} aria-label={`Answer of ${letter} to case ${row + 1}`}>
                  <AnswerCell answer={answers[`${row} ${column}`]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <MoreCases variables={variables} onAdd={() => onChange([...cases, {}])} onFill={onFill} />
    </div>
  );
}

interface MoreProps extends Pick<Props, 'variables' | 'onFill'> {
  onAdd: () => void;
}

/** Adds an empty case, or one of each row of a sheet. */
function MoreCases({ variables, onAdd, onFill }: MoreProps) {
  const [isFilling, setFilling] = useState(false);
  return (
    <>
      <button className="button quiet add-case" onClick={onAdd}>
        + a case
      </button>
      <button
        className="button quiet add-case"
        disabled={variables.length === 0}
        title={variables.length === 0 ? 'Write variables in braces first, such as {question}.' : undefined}
        onClick={() => setFilling(true)}
      >
        Fill cases from a sheet
      </button>
      {isFilling && (
        <FillFromRows
          variables={variables}
          onFill={(filled, from) => {
            setFilling(false);
            onFill(filled, from);
          }}
          onClose={() => setFilling(false)}
        />
      )}
    </>
  );
}

interface ValuesProps {
  row: number;
  values: Case;
  variables: string[];
  onChange: (values: Case) => void;
}

function Values({ row, values, variables, onChange }: ValuesProps) {
  if (variables.length === 0) return <span className="quiet-text">The prompt as it is</span>;
  return variables.map((name) => (
    <textarea
      key={name}
      dir="auto"
      className="field"
      aria-label={`${name} of case ${row + 1}`}
      placeholder={name}
      rows={Math.min(8, (values[name] ?? '').split('\n').length + 1)}
      value={values[name] ?? ''}
      onChange={(event) => onChange({ ...values, [name]: event.target.value })}
    />
  ));
}

function AnswerCell({ answer }: { answer: Answer | undefined }) {
  if (!answer) return null;
  const { state, text, trial, error } = answer;
  return (
    <>
      <p dir="auto" className="answer">
        {trial && text === '' ? trial.text : text}
        {state === 'writing' && <span className="caret" aria-hidden="true" />}
      </p>
      {error && (
        <p role="alert" className="bad breaks">
          {error.message}{' '}
          {isAboutCredentials(error) && (
            <Link className="link" href="/settings/models">
              Models in Settings
            </Link>
          )}
        </p>
      )}
      {trial?.warning && <p className="warn breaks">{trial.warning}</p>}
      <Facts answer={answer} />
    </>
  );
}

const isAboutCredentials = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'trial_credential_missing' || /\bcredential\b/.test(message);

const STATES = { waiting: 'waiting…', writing: 'writing… Esc stops', stopped: 'stopped', failed: 'failed', done: '' };

function Facts({ answer: { state, trial, error } }: { answer: Answer }) {
  const id = trial?.request_id ?? error?.requestId ?? null;
  return (
    <p className="facts quiet-text">
      {trial ? (
        <>
          <span>{duration(trial.latency_ms)}</span>
          {trial.first_token_ms !== null && <span>first token {duration(trial.first_token_ms)}</span>}
          <span>
            {count(trial.usage.input_tokens)} → {count(trial.usage.output_tokens)} tokens
          </span>
          <span>{trial.cost_usd === null ? 'no price' : dollars(trial.cost_usd)}</span>
          {trial.end.kind !== 'whole' && (
            <span className="warn">
              {trial.end.kind === 'cut' ? 'cut off' : 'refused'}: {trial.end.reason}
            </span>
          )}
        </>
      ) : (
        <span>{STATES[state]}</span>
      )}
      {id !== null && (
        <Link
          className="link"
          href={`/logs?${new URLSearchParams({ f: `pl_id is ${id}`, id: String(id) }).toString()}`}
        >
          Request {id}
        </Link>
      )}
    </p>
  );
}
