export default function Trace({ id }: { id: string }) {
  return <p>{id}</p>;
}
