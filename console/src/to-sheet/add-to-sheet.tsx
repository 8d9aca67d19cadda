import { useState } from 'react';
import { FormDialog, type FormValues } from '../ui/form';
import { type Selection, startAdding, type Target } from './start-adding';
import { Where } from './where';

/** A selection and what it is called, such as "These 3 requests". */
export interface Offer {
  text: string;
  /** A function where it has to be looked for first. */
  selection: Selection | (() => Promise<Selection>);
}

interface Props {
  /** Offers, the most likely first. */
  offers: Offer[];
  title: string;
  onStarted: (adding: string) => void;
  onClose: () => void;
}

/** Asks which requests go into which sheet, and starts to add them. */
export function AddToSheet({ offers, title, onStarted, onClose }: Props) {
  const [target, setTarget] = useState<Target>({ tableId: '', sheetId: '', title });
  const change = (part: Partial<Target>) => setTarget((before) => ({ ...before, ...part }));
  const add = async (values: FormValues) => {
    const { selection } = offers[values.number('offer')!]!;
    const withFacts = values.all('facts').length > 0;
    const asked = { ...target, title: values.text('title') };
    const wanted = typeof selection === 'function' ? await selection() : selection;
    onStarted(await startAdding(wanted, asked, { withFacts, onTable: (tableId) => change({ tableId }) }));
  };
  return (
    <FormDialog title="Add to a sheet" submit="Add" onSubmit={add} onDone={() => undefined} onClose={onClose}>
      {offers.map(({ text }, at) => (
        <label key={text} className="tick">
          <input
            type="radio"
            name="offer"
            value={at}
            defaultChecked={at === 0}
            data-first={at === 0 ? '' : undefined}
          />
          {text}
        </label>
      ))}
      <Where target={target} onChange={change} />
      <label className="tick">
        <input type="checkbox" name="facts" defaultChecked />
        With columns for id, model, status, latency and cost
      </label>
    </FormDialog>
  );
}
