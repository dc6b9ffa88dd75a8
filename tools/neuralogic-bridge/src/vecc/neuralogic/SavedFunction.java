package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.functions.ElementWise;
import cz.cvut.fel.ida.algebra.functions.transformation.elementwise.LeakyReLu;
import java.io.InvalidObjectException;
import java.io.ObjectStreamException;
import java.io.Serializable;

/**
 * Stands for an elementwise function in a saved model. NeuraLogic's own functions lose what they compute
 * when they are saved, and fail later.
 */
final class SavedFunction implements Serializable {
  private static final long serialVersionUID = 1;

  private final Class<? extends ElementWise> type;
  /** Of LeakyReLu, else null. */
  private final Double slope;

  SavedFunction(ElementWise function) {
    type = function.getClass();
    slope = function instanceof LeakyReLu ? Parameters.slope((LeakyReLu) function) : null;
  }

  private Object readResolve() throws ObjectStreamException {
    try {
      return slope == null ? type.getConstructor().newInstance() : new LeakyReLu(slope);
    } catch (ReflectiveOperationException e) {
      throw new InvalidObjectException(type + " cannot be made: " + e);
    }
  }
}
