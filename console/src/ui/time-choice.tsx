import { useState } from 'react';
import { Field, FormDialog } from './form';
import { Options } from './options';
import { describeRange, hasRange, rangeOf, SPAN_CHOICES, TIME, type TimeState, toLocalInput } from './time-range';

const HOUR_MS = 3_600_000;
const OTHER = 'other';
const SHOWN = 'shown';

/** Chooses a time: the last hours or days, or a range that is typed. */
export function TimeChoice({ state, onChange }: { state: TimeState; onChange: (time: TimeState) => void }) {
  const [isTyping, setTyping] = useState(false);
  const isRange = hasRange(state);
  const choose = (value: string) => {
    if (value === OTHER) setTyping(true);
    else if (value !== SHOWN) onChange({ ...TIME, days: value });
  };
  const pairs = [
    ['', 'Any time'],
    ...SPAN_CHOICES,
    ...(isRange ? [[SHOWN, describeRange(state)] as const] : []),
    [OTHER, 'From … to …'],
  ] as const;
  return (
    <>
      <select
        className="field"
        aria-label="Time"
        value={isRange ? SHOWN : state.days}
        onChange={(event) => choose(event.target.value)}
      >
        <Options pairs={pairs} />
      </select>
      {isTyping && (
        <RangeForm
          state={state}
          onClose={() => setTyping(false)}
          onChosen={(range) => {
            setTyping(false);
            onChange({ ...TIME, ...range });
          }}
        />
      )}
    </>
  );
}

interface FormProps {
  state: TimeState;
  onChosen: (range: Pick<TimeState, 'from' | 'to'>) => void;
  onClose: () => void;
}

function RangeForm({ state, onChosen, onClose }: FormProps) {
  const now = Date.now();
  const [from, to] = hasRange(state)
    ? [new Date(state.from), new Date(state.to)]
    : [new Date(now - 24 * HOUR_MS), new Date(now)];
  return (
    <FormDialog
      title="Time range"
      submit="Show the range"
      onSubmit={async (values) => rangeOf(values.text('from'), values.text('to'))}
      onDone={onChosen}
      onClose={onClose}
    >
      <Field label="From" hint="In your local time.">
        <input
          className="field"
          type="datetime-local"
          name="from"
          step={1}
          required
          defaultValue={toLocalInput(from)}
        />
      </Field>
      <Field label="To" hint="Exclusive.">
        <input className="field" type="datetime-local" name="to" step={1} required defaultValue={toLocalInput(to)} />
      </Field>
    </FormDialog>
  );
}
