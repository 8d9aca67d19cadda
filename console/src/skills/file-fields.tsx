import './skills.css';
import { useRef, useState } from 'react';
import { Field } from '../ui/form';
import type { DraftFile } from './file-draft';

interface Props {
  files: DraftFile[];
  onChange: (files: DraftFile[]) => void;
}

/** The text files of a draft: a list, and the path and text of one. */
export function FileFields({ files, onChange }: Props) {
  const [open, setOpen] = useState(files[0]?.key);
  const made = useRef(0);
  const at = Math.max(
    files.findIndex(({ key }) => key === open),
    0,
  );
  const file = files[at];
  const add = () => {
    const key = `new ${(made.current += 1)}`;
    onChange([...files, { key, path: '', text: '' }]);
    setOpen(key);
  };
  return (
    <div className="skill-files">
      <div className="skill-list">
        <ul className="lines" aria-label="Files">
          {files.map(({ key, path }) => (
            <li key={key}>
              <button type="button" className="link" aria-pressed={key === file?.key} onClick={() => setOpen(key)}>
                <bdi>{path || 'without a path'}</bdi>
              </button>
            </li>
          ))}
        </ul>
        <button type="button" className="button" onClick={add}>
          Add a file
        </button>
      </div>
      {file && (
        <OpenFile
          key={file.key}
          file={file}
          onChange={(changed) => onChange(files.with(at, changed))}
          onRemove={() => onChange(files.toSpliced(at, 1))}
        />
      )}
    </div>
  );
}

interface OpenProps {
  file: DraftFile;
  onChange: (file: DraftFile) => void;
  onRemove: () => void;
}

function OpenFile({ file, onChange, onRemove }: OpenProps) {
  return (
    <div className="skill-open" role="group" aria-label={file.path || 'A new file'}>
      <Field label="Path" isRequired>
        <input
          className="field mono"
          required
          spellCheck={false}
          maxLength={1000}
          placeholder="refunds/SKILL.md"
          value={file.path}
          onChange={(event) => onChange({ ...file, path: event.target.value })}
        />
      </Field>
      <Field label="Text">
        <textarea
          className="field mono grows"
          rows={Math.min(24, file.text.split('\n').length + 4)}
          value={file.text}
          onChange={(event) => onChange({ ...file, text: event.target.value })}
        />
      </Field>
      <div className="actions">
        <button type="button" className="button quiet bad" onClick={onRemove}>
          Delete the file
        </button>
      </div>
    </div>
  );
}
