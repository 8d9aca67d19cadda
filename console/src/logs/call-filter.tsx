import { useState } from 'react';
import { FilterForm } from '../search/filter-form';
import { chipsOf, withCondition } from '../search/search-state';
import { Field } from '../ui/form';
import { Chips } from '../ui/list-screen';
import { Choice } from '../ui/search-field';
import { TimeChoice } from '../ui/time-choice';
import { LOG_FIELDS } from './log-fields';
import { type LogState, STATUSES } from './log-state';

interface Props {
  state: LogState;
  onChange: (change: Partial<LogState>) => void;
}

/** The filter of the list of requests, for screens that take calls from it. */
export function CallFilter({ state, onChange }: Props) {
  const [isFiltering, setFiltering] = useState(false);
  return (
    <>
      <div className="actions">
        <Choice label="Status" options={STATUSES} value={state.status} onChange={(status) => onChange({ status })} />
        <TimeChoice state={state} onChange={onChange} />
        <button type="button" className="button" onClick={() => setFiltering(true)}>
          Filter
        </button>
      </div>
      <Chips chips={chipsOf(state)} onRemove={onChange} />
      <Field label="Search inputs and outputs">
        <input
          className="field"
          maxLength={1000}
          value={state.q}
          onChange={({ target }) => onChange({ q: target.value })}
        />
      </Field>
      {isFiltering && (
        <FilterForm
          of={LOG_FIELDS}
          onClose={() => setFiltering(false)}
          onAdd={(condition) => {
            setFiltering(false);
            onChange({ f: withCondition(state.f, condition) });
          }}
        />
      )}
    </>
  );
}
