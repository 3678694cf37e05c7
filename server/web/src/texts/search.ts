/** The texts of the field for the name of a player. */
export const searchTexts = {
  label: 'Player',
  placeholder: 'Find a player',
  example: 'Alex',
  action: 'Show',
  list: 'Suggestions',
  empty: 'Enter the name of a player.',
  invalid: (rule: string) => `A name must be ${rule}.`,
} as const
