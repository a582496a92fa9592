/** An interactive figure by name. (A placeholder until there are widgets.) */
export function Widget({ name }: { readonly name: string }): React.ReactNode {
  throw new Error(`<Widget name="${name}">: there is no such widget`);
}
