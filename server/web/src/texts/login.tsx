/** The texts of the page that redeems login links and invitations. */
export const loginTexts = {
  incompleteTitle: 'This link is incomplete',
  incomplete: 'Open the link again as you received it, or ask an administrator for a new link.',
  invitation: {
    title: 'Create your account',
    text: 'Choose your name and a password. Then save your login file, which the program reads.',
    action: 'Create the account',
  },
  login: {
    title: 'Log in with this link',
    text: 'You get a new password and a login file, which the program reads. Computers on which you are logged in must log in again.',
    action: 'Log in',
  },
  name: 'Name in the game',
  password: 'Password',
  passwordHint: 'At least 8 characters. If you leave it empty, you get a password that nobody can guess.',
  busy: 'Please wait…',
  lost: 'The service did not respond. Keep this page open, and press the button again within ten minutes.',
  welcome: (name: string) => `Welcome, ${name}`,
  save: (
    <>
      Save your login file now. This page shows it only once. Drop the file on the page of the program, or run{' '}
      <code>fish-cli login --from FILE</code>.
    </>
  ),
  saveAction: 'Save the login file',
  saved: 'Saved. Keep the file secret, and delete it after you have logged in.',
  open: 'Open your collection',
} as const
