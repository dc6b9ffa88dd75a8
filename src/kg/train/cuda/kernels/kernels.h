// The kernels of a step. The second parameter is what all kernels of vecc have; these have none.
#define VECC_KG_KERNEL(name, threads, function)                         \
  extern "C" __global__ void __launch_bounds__(threads)                 \
      name(const __grid_constant__ vecc_kernel::Bound a, const void*) { \
    vecc_kernel::wait_for_launches();                                   \
    vecc_kernel::function(a);                                           \
  }

#define VECC_KG_PAIR_BOUNDS vecc_kernel::kPairThreads, vecc_kernel::kPairBlocks
#define VECC_KG_PRODUCT_BOUNDS vecc_kernel::kPairThreads, vecc_kernel::kProductBlocks
#define VECC_KG_SIDE_BOUNDS vecc_kernel::kPairThreads, vecc_kernel::kSideBlocks
#define VECC_KG_WIDE_BOUNDS vecc_kernel::kPairThreads, vecc_kernel::kWideBlocks

VECC_KG_KERNEL(vecc_kg_sides, vecc_kernel::kSideThreads, draw_sides)
VECC_KG_KERNEL(vecc_kg_begin, vecc_kernel::kRowThreads, begin_step)
#if VECC_KG_IS_FORMULA
VECC_KG_KERNEL(vecc_kg_slots, vecc_kernel::kRowThreads, find_slots)
VECC_KG_KERNEL(vecc_kg_drop_slots, vecc_kernel::kRowThreads, drop_slots)
VECC_KG_KERNEL(vecc_kg_clear, vecc_kernel::kRowThreads, clear_rows)
VECC_KG_KERNEL(vecc_kg_columns, vecc_kernel::kPairThreads, transpose_scores)
VECC_KG_KERNEL(vecc_kg_shared, vecc_kernel::kRowThreads, move_shared)
#elif VECC_KG_DROPS_ENTITIES
VECC_KG_KERNEL(vecc_kg_drop, vecc_kernel::kRowThreads, drop_negatives)
#endif
VECC_KG_KERNEL(vecc_kg_sort, vecc_kernel::kSortThreads, sort_run)
VECC_KG_KERNEL(vecc_kg_merge, vecc_kernel::kMergeThreads, merge_runs)
VECC_KG_KERNEL(vecc_kg_losses, vecc_kernel::kLossThreads, query_losses)
VECC_KG_KERNEL(vecc_kg_judge, vecc_kernel::kJudgeThreads, judge)
#if VECC_KG_IS_JOINT
#define VECC_KG_GRADIENTS vecc_kernel::kJointThreads, vecc_kernel::kJointBlocks
#define VECC_KG_GRADIENTS_OF(planes) joint_gradients<planes>
#else
#define VECC_KG_GRADIENTS VECC_KG_PAIR_BOUNDS
#define VECC_KG_GRADIENTS_OF(planes) gradient_tiles<planes>
#endif
#if VECC_KG_IS_PRODUCT
VECC_KG_KERNEL(vecc_kg_scores, VECC_KG_SIDE_BOUNDS, score_products<false>)
VECC_KG_KERNEL(vecc_kg_gradients, VECC_KG_SIDE_BOUNDS, product_gradients<false>)
#else
VECC_KG_KERNEL(vecc_kg_scores, VECC_KG_PAIR_BOUNDS, score_tile<false>)
VECC_KG_KERNEL(vecc_kg_gradients, VECC_KG_GRADIENTS, VECC_KG_GRADIENTS_OF(false))
#endif
VECC_KG_KERNEL(vecc_kg_spread, vecc_kernel::kRowThreads, spread)
VECC_KG_KERNEL(vecc_kg_rows, vecc_kernel::kRowThreads, move_all_rows)
#if VECC_KG_HAS_PLANES && VECC_KG_HAS_PRODUCT_TILES
VECC_KG_KERNEL(vecc_kg_plane_scores, VECC_KG_SIDE_BOUNDS, score_products<true>)
VECC_KG_KERNEL(vecc_kg_plane_gradients, VECC_KG_SIDE_BOUNDS, product_gradients<true>)
#elif VECC_KG_HAS_PLANES
VECC_KG_KERNEL(vecc_kg_plane_scores, VECC_KG_PAIR_BOUNDS, score_tile<true>)
VECC_KG_KERNEL(vecc_kg_plane_gradients, VECC_KG_GRADIENTS, VECC_KG_GRADIENTS_OF(true))
#endif
#if VECC_KG_HAS_MATRICES
VECC_KG_KERNEL(vecc_kg_segments, vecc_kernel::kSideThreads, find_segments)
VECC_KG_KERNEL(vecc_kg_matrices, VECC_KG_WIDE_BOUNDS, move_matrices)
#endif
#if VECC_KG_HAS_SPACES
VECC_KG_KERNEL(vecc_kg_images, VECC_KG_PRODUCT_BOUNDS, make_images)
VECC_KG_KERNEL(vecc_kg_vectors, VECC_KG_PRODUCT_BOUNDS, make_vectors)
VECC_KG_KERNEL(vecc_kg_norms, VECC_KG_WIDE_BOUNDS, project_negatives)
VECC_KG_KERNEL(vecc_kg_by_norms, vecc_kernel::kPairThreads, differentiate_norms)
VECC_KG_KERNEL(vecc_kg_by_negatives, VECC_KG_WIDE_BOUNDS, differentiate_negatives)
VECC_KG_KERNEL(vecc_kg_negative_parts, vecc_kernel::kRowThreads, add_negative_parts)
VECC_KG_KERNEL(vecc_kg_by_images, VECC_KG_PRODUCT_BOUNDS, differentiate_images)
VECC_KG_KERNEL(vecc_kg_by_entities, VECC_KG_PRODUCT_BOUNDS, differentiate_entities)
#elif VECC_KG_HAS_MATRICES
VECC_KG_KERNEL(vecc_kg_queries, VECC_KG_PRODUCT_BOUNDS, multiply_matrices<true>)
VECC_KG_KERNEL(vecc_kg_anchors, VECC_KG_PRODUCT_BOUNDS, multiply_matrices<false>)
#endif
