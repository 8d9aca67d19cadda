import { newScorer, type Scorer, type TemplateName, TEMPLATES } from './scorers';

/** A button for each of the checks that most evaluations begin with. */
export function AddScorer({ onAdd }: { onAdd: (scorer: Scorer) => void }) {
  return (
    <div className="actions" role="group" aria-label="Add a scorer">
      {Object.entries(TEMPLATES).map(([name, { label, hint }]) => (
        <button
          key={name}
          type="button"
          className="button"
          title={hint}
          onClick={() => onAdd(newScorer(name as TemplateName))}
        >
          {`Add “${label}”`}
        </button>
      ))}
    </div>
  );
}
