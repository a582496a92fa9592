/** Importing this file registers every op. */
import './arithmetic';
import './unary';
