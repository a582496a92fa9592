/** An exercise's editor and checks. (A placeholder until the exercise kit's own is here.) */
export function Exercise({ slug }: { readonly slug: string }) {
  return (
    <p>
      <a href={`/exercises/${slug}/`}>Open the exercise</a>
    </p>
  );
}
