import {
  cloneElement,
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { Dialog } from './dialog';
import { Options, pairsOf } from './options';
import { Refused } from './parts';
import { markTyped } from './unsaved';

/** Values of a form, by the names of its fields and of the button that submits it. Unticked boxes are missing. */
export class FormValues {
  constructor(private readonly data: FormData) {}

  /** Without the spaces around it. */
  text(name: string): string {
    return this.raw(name).trim();
  }

  /** The value with its spaces. */
  raw(name: string): string {
    return String(this.data.get(name) ?? '');
  }

  /** Null for a field that was left empty. */
  optional(name: string): string | null {
    return this.text(name) || null;
  }

  number(name: string): number | null {
    const text = this.text(name);
    return text === '' ? null : Number(text);
  }

  all(name: string): string[] {
    return this.data.getAll(name).map(String);
  }

  /** Null where none was chosen. */
  file(name: string): File | null {
    const file = this.data.get(name);
    return file instanceof File && file.name !== '' ? file : null;
  }
}

interface FormProps<T> {
  submit: string;
  onSubmit: (values: FormValues) => Promise<T>;
  /** Called after the form was submitted, when nothing is unsaved any more. */
  onDone?: (result: T) => void;
  /** For irreversible actions: Enter does not submit. */
  isDangerous?: boolean;
  /** Text of the cancel button. */
  cancel?: string;
  onCancel?: () => void;
  /** Something besides the fields was changed, such as an order. Leaving asks before it is discarded. */
  isChanged?: boolean;
  /** For read-only users. */
  disabled?: boolean;
  /** After the buttons. */
  more?: ReactNode;
  children?: ReactNode;
}

/** A form that keeps its values when saving fails, and shows the reason above its buttons. */
export function Form<T>(props: FormProps<T>) {
  const {
    submit,
    onSubmit,
    onDone,
    isDangerous = false,
    cancel = 'Cancel',
    onCancel,
    isChanged = false,
    disabled = false,
    more,
    children,
  } = props;
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isChanged) markTyped(form.current!, true);
  }, [isChanged]);
  const send = async (sent: HTMLFormElement, values: FormValues) => {
    try {
      const result = await onSubmit(values);
      markTyped(sent, false);
      onDone?.(result);
    } catch (reason) {
      setError(reason as Error);
    } finally {
      setWaiting(false);
    }
  };
  const onSubmitted = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A dialog may be opened from within another form, which would be submitted too.
    event.stopPropagation();
    // The buttons in `more` are not disabled.
    if (isWaiting) return;
    setWaiting(true);
    setError(null);
    const sent = event.currentTarget;
    const { submitter } = event.nativeEvent as SubmitEvent;
    void send(sent, new FormValues(new FormData(sent, submitter)));
  };
  return (
    <form ref={form} className="form" onInput={(event) => markTyped(event.currentTarget, true)} onSubmit={onSubmitted}>
      <fieldset disabled={disabled}>{children}</fieldset>
      <Refused error={error} />
      <div className="actions">
        {!disabled && (
          <button className={isDangerous ? 'button primary dangerous' : 'button primary'} disabled={isWaiting}>
            {submit}
          </button>
        )}
        {onCancel && (
          <button type="button" className="button" data-first={isDangerous ? '' : undefined} onClick={onCancel}>
            {disabled ? 'Close' : cancel}
          </button>
        )}
        {more}
      </div>
    </form>
  );
}

/** A form in a dialog, which closes after it was submitted, unless `onDone` decides otherwise. */
export function FormDialog<T>(props: FormProps<T> & { title: string; isWide?: boolean; onClose: () => void }) {
  const { title, isWide = false, onClose, onDone = onClose, ...form } = props;
  return (
    <Dialog label={title} className={isWide ? 'form-dialog wide' : 'form-dialog'} onClose={onClose}>
      <h1>{title}</h1>
      <Form {...form} onDone={onDone} onCancel={onClose} />
    </Dialog>
  );
}

/** Attributes that link a control to its label and its hint. */
export interface Tied {
  id: string;
  /** Arabic and Hebrew are written from the right. */
  dir: 'auto';
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: ReactNode;
  /** A hint below the control. */
  hint?: ReactNode;
  isRequired?: boolean;
  /** For a box to tick, which stands before its name. */
  isInline?: boolean;
  /** The control, or a function that returns it. */
  children: ReactElement<Partial<Tied>> | ((tied: Tied) => ReactNode);
}

/** A control below its label, with its hint. */
export function Field({ label, hint, isRequired = false, isInline = false, children }: FieldProps) {
  const id = useId();
  const tied: Tied = { id, dir: 'auto', 'aria-describedby': hint ? `${id}-hint` : undefined };
  return (
    <div className={isInline ? 'form-field inline' : 'form-field'}>
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="quiet-text"> required</span>}
      </label>
      {typeof children === 'function' ? children(tied) : cloneElement(children, tied)}
      {hint && (
        <p id={tied['aria-describedby']} className="quiet-text">
          {hint}
        </p>
      )}
    </div>
  );
}

/** A choice among words, shown as they are or by their names. */
export function SelectField(props: {
  label: string;
  name: string;
  options: Record<string, string>;
  value?: string;
  hint?: ReactNode;
}) {
  const { label, name, options, value, hint } = props;
  return (
    <Field label={label} hint={hint}>
      <select className="field" name={name} defaultValue={value}>
        <Options pairs={pairsOf(options)} />
      </select>
    </Field>
  );
}
