const HEADINGS = { feat: 'Added', fix: 'Fixed', perf: 'Faster' };
/** Subject of Conventional Commits: type, scope in brackets, "!" for breaking changes. */
const SUBJECT = /^(\w+)(?:\(([^)]+)\))?(!)?: (.+)$/;

/**
 * Changes of a version, in Markdown, from the subjects of its commits. Changes that users do not notice are left out.
 * @param {{ version: string, date: string, subjects: string[] }} release
 */
export function sectionOf({ version, date, subjects }) {
  const changes = [...new Set(subjects)].map(toChange).filter((change) => change !== null);
  const parts = [
    { title: 'Breaks', some: changes.filter(({ breaks }) => breaks) },
    ...Object.entries(HEADINGS).map(([type, title]) => ({
      title,
      some: changes.filter((one) => one.type === type && !one.breaks),
    })),
  ];
  const lines = parts
    .filter(({ some }) => some.length > 0)
    .flatMap(({ title, some }) => [`### ${title}`, '', ...some.toSorted(byScope).map(lineOf), '']);
  return [`## ${version} (${date})`, '', ...lines].join('\n');
}

function toChange(subject) {
  const [, type, scope = '', breaks, text] = SUBJECT.exec(subject) ?? [];
  return type in HEADINGS || breaks ? { type, scope, breaks: Boolean(breaks), text } : null;
}

const byScope = (one, other) => (one.scope < other.scope ? -1 : one.scope > other.scope ? 1 : 0);

const lineOf = ({ scope, text }) => (scope ? `- **${scope}**: ${text}` : `- ${text}`);
